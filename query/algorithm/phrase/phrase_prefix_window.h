// Finds how often each of many candidates in one window has an exact phrase whose last word may be
// any of several terms. As in PhraseWindow, all candidates go through the words together. The
// positions where the words before the last one match are then compared with those of each term, in
// all documents of the term together.
//
// Two cases are left to the caller: documents with positions that do not lie in place, and those
// where two of the terms stand on the same position. One thread uses a PhrasePrefixWindow.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "query/algorithm/phrase/window_runs.h"
#include "query/algorithm/postings/posting_windows.h"
#include "query/kernel/kernels.h"

namespace pmdex {

class PhrasePrefixWindow {
 public:
  static constexpr uint32_t kUnknown = 0xffffffff;
  struct Found {
    DocId doc = 0;
    uint32_t frequency = 0;  // of the phrase, at least 1; or kUnknown, which may be 0, too
  };

  // offsets: of the words in the phrase; at least two.
  PhrasePrefixWindow(std::span<const uint32_t> offsets, const QueryKernels& kernels)
      : offsets_(offsets.begin(), offsets.end()), kernels_(kernels), runs_of_term_(kernels) {}

  // The documents of the window that have the phrase, ascending. words: the lists of all words but
  // the last. last: those of the last word's terms. candidates: the documents with all words but
  // the last. Valid until the next call.
  std::span<const Found> Find(uint32_t window, std::span<PostingWindows> words,
                              std::span<PostingWindows> last, const WindowBits& candidates);

 private:
  // A document with a term as its last word.
  struct Match {
    uint16_t doc = 0;
    uint16_t count = 0;
    uint32_t begin = 0;  // in positions_: where the first word stands
  };

  void MatchWords(std::span<PostingWindows> words, WindowBits& candidates);
  void KeepMatches(WindowBits& candidates);
  void MatchTerm(PostingWindows& term, const WindowBits& candidates);
  Found Sum(std::span<const Match> matches);

  std::vector<uint32_t> offsets_;
  const QueryKernels& kernels_;
  WindowRuns runs_of_term_;
  uint32_t window_ = 0;
  WindowBits unknown_;
  std::array<uint16_t, kWindowDocs> places_{};  // of the documents in docs_

  // The candidates that are left, count_ elements in each array.
  uint32_t count_ = 0;
  std::array<uint16_t, kWindowDocs> docs_;
  WindowRuns::Lanes matched_lanes_;  // the first word's positions where the words so far match
  RunArrays matched_;
  std::array<std::vector<uint16_t>, 2> buffers_;  // that matched_ uses in turn
  WindowRuns::Lanes lanes_;                       // of the word or term that is being compared

  std::array<uint16_t, kWindowDocs> term_docs_;  // the candidates with one term of the last word
  WindowRuns::Lanes term_lanes_;                 // their part of matched_
  std::vector<uint16_t> positions_;
  std::vector<Match> matches_;
  std::vector<uint16_t> in_doc_;  // scratch
  std::vector<Found> found_;
};

}  // namespace pmdex
