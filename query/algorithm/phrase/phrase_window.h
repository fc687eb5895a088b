// Finds how often each of many candidates in one window has an exact phrase. All candidates go
// through the words of the phrase together, beginning with the word that occurs least. For each
// word it finds the positions in all candidates, compares them with the matches of the words
// before, and drops the candidates without a match. So the loops are long and make no calls, and
// positions are read in the order in which they lie.
//
// The positions of some postings do not lie in their entries alone (inline lists, page marks,
// damage). Their documents stay unknown, and PhraseCheck decides about them. One thread uses a
// PhraseWindow.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "query/algorithm/phrase/phrase_word.h"
#include "query/algorithm/phrase/window_runs.h"
#include "query/algorithm/postings/posting_windows.h"
#include "query/kernel/kernels.h"

namespace pmdex {

class PhraseWindow {
 public:
  static constexpr uint16_t kUnknown = 0xffff;

  // words: at least two, in the order in which to compare them. PhraseWord::term indexes the lists
  // that Retain gets.
  PhraseWindow(std::span<const PhraseWord> words, const QueryKernels& kernels)
      : words_(words.begin(), words.end()), kernels_(kernels), runs_of_term_(kernels) {}

  // Removes from `docs`, which have all the terms, the documents without the phrase. With a table,
  // removes also those that have it less often than the table says for their length code. Forgets
  // the window before.
  void Retain(uint32_t window, std::span<PostingWindows> terms, const LeastFreqs* least,
              WindowBits& docs);
  // The documents that stay in `docs` although it is not known whether they have the phrase.
  const WindowBits& unknown() const { return unknown_; }

  // How often the document has the phrase. kUnknown if Retain did not get the document or could
  // not decide.
  uint16_t Frequency(DocId doc) const {
    return window_ == doc / kWindowDocs ? frequencies_[doc % kWindowDocs] : kUnknown;
  }
  // Requires a document whose frequency is known and not 0.
  uint8_t LengthCode(DocId doc) const { return codes_[doc % kWindowDocs]; }

 private:
  void DropUnknown();
  void Match(size_t word);
  void KeepMatches(const LeastFreqs* least);
  void NoteFrequencies(const LeastFreqs* least, WindowBits& docs);

  std::vector<PhraseWord> words_;
  const QueryKernels& kernels_;
  WindowRuns runs_of_term_;
  uint32_t window_ = 0xffffffff;
  WindowBits unknown_;
  std::array<uint16_t, kWindowDocs> frequencies_;
  std::array<uint8_t, kWindowDocs> codes_;

  // The candidates that are left, count_ elements in each array.
  uint32_t count_ = 0;
  std::array<uint16_t, kWindowDocs> docs_;
  std::array<uint8_t, kWindowDocs + WindowRuns::kMore> doc_codes_;
  WindowRuns::Lanes matched_lanes_;  // the first word's positions where the words so far match
  RunArrays matched_;
  WindowRuns::Lanes lanes_;  // of the word that is being compared
  RunArrays runs_;
  std::array<std::vector<uint16_t>, 2> buffers_;  // that matched_ uses in turn
};

}  // namespace pmdex
