// Finds which of many candidates in one window may have a phrase with slop whose words are all
// different, and then how often one of them has it. As in PhraseWindow, all candidates go through
// the words together, beginning with the word that occurs least. Positions of that word stay only
// if each other word has a position within the slop of its place. Every match has such positions,
// so a document without any is left out.
//
// Positions that do not lie in place are left to PhraseCheck, as by PhraseWindow. One thread uses a
// SloppyWindow.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "query/algorithm/phrase/phrase_word.h"
#include "query/algorithm/phrase/window_runs.h"
#include "query/algorithm/postings/posting_windows.h"
#include "query/cursor/sloppy_runs.h"
#include "query/kernel/kernels.h"

namespace pmdex {

class SloppyWindow {
 public:
  static constexpr uint32_t kUnknown = 0xffffffff;

  // words: at least two, in the order in which to compare them. PhraseWord::term indexes the lists
  // that Retain gets. offsets: by PhraseWord::number.
  SloppyWindow(std::span<const PhraseWord> words, std::span<const uint32_t> offsets, uint32_t slop,
               const QueryKernels& kernels);

  // Removes from `docs`, which have all the terms, documents that do not have the phrase, but not
  // all of them. With a table, removes also those where the first word to compare has less such
  // positions than the table says for their length code. Forgets the window before.
  void Retain(uint32_t window, std::span<PostingWindows> terms, const LeastFreqs* least,
              WindowBits& docs);

  // The documents that Retain removed because they do not have the phrase, whatever the table says.
  const WindowBits& without() const { return without_; }

  // The place of a document that Retain left. kUnknown for others and if Retain could not decide.
  uint32_t Find(DocId doc) const {
    if (doc / kWindowDocs != window_) return kUnknown;
    const uint32_t place = places_[doc % kWindowDocs];
    return place < count_ && docs_[place] == doc % kWindowDocs ? place : kUnknown;
  }
  // Of the document at a place:
  bool Matches(uint32_t place);     // whether it has the phrase
  float Frequency(uint32_t place);  // how often. As SloppyPhraseMatcher counts, to the bit
  float FrequencyBound(uint32_t place) const;  // an upper bound of it, without reading positions
  uint8_t LengthCode(uint32_t place) const { return codes_[place]; }

 private:
  void DropUnknown(size_t word);
  void FindNear(size_t word);
  void KeepNear(size_t word, const LeastFreqs* least);
  void Keep(uint32_t from, uint32_t to, size_t word);
  void FindRuns(uint32_t place);

  std::vector<PhraseWord> words_;
  const uint32_t slop_;
  const QueryKernels& kernels_;
  WindowRuns runs_of_term_;
  SloppyRuns sloppy_runs_;
  std::vector<PositionRun> runs_;  // of one document, by PhraseWord::number
  uint32_t window_ = 0xffffffff;
  WindowBits unknown_, without_;
  std::array<uint16_t, kWindowDocs> places_{};  // of documents; any number for those that left

  // The candidates that are left, count_ elements in each array.
  uint32_t count_ = 0;
  std::array<uint16_t, kWindowDocs> docs_;
  std::array<uint8_t, kWindowDocs + WindowRuns::kMore> codes_;
  std::vector<WindowRuns::Lanes> lanes_;  // of each word
  std::vector<RunArrays> of_word_;        // in lanes_
  WindowRuns::Lanes near_lanes_;          // the positions of the first word near all others so far
  RunArrays near_;
  std::array<std::vector<uint16_t>, 2> buffers_;  // that near_ uses in turn
};

}  // namespace pmdex
