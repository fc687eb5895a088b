// The postings of one term with their scores: what a term leaf is made of, and what the searches
// use that follow or filter the postings of a term. One thread uses a TermPostings; the list and
// the context must outlive it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "query/algorithm/leaf/leaf.h"
#include "query/algorithm/leaf/segment_context.h"
#include "query/algorithm/postings/list_bounds.h"
#include "query/algorithm/postings/posting_windows.h"

namespace pmdex {

class TermPostings {
 public:
  TermPostings(const PostingListView& list, const TermScorer& scorer, SegmentContext& context)
      : windows_(list, context.cursor),
        scorer_(scorer),
        kernels_(context.kernels),
        escape_freq_(EscapeFreq(list)) {}

  const PostingListView& list() const { return windows_.list(); }
  const TermScorer& scorer() const { return scorer_; }
  PostingWindows& windows() { return windows_; }
  // True if the list holds docids, so that one can read the document of a posting at once. False if
  // it holds one bit for each document.
  bool has_docids() const { return !windows_.is_bitset(); }

  // Scores at most Leaf::kBatch postings, each below df.
  void ScorePostings(std::span<const uint32_t> postings, Leaf::ScoreArray& scores) const;
  // True if `docs`, at least one and read from the list, ascend and exist. Reports damage if not.
  bool AreInOrder(std::span<const DocId> docs) { return windows_.AreInOrder(docs); }

  // As Leaf::FillCompetitive and Leaf::AddScores.
  void FillCompetitive(uint32_t window, float min_score, WindowBits& bits);
  void AddScores(uint32_t window, WindowSums& sums);
  // Adds its score, exactly, to the total of every document of the window that has the term.
  void AddScores(uint32_t window, WindowTotals& totals);
  // Adds every document of the window whose score reaches `min_score` together with what the other
  // leaves can add: others.of has that for each length code. May add other documents.
  void FillCompetitiveBeside(uint32_t window, float min_score, const LengthBounds& others,
                             WindowBits& bits);
  // Computes the upper bound of the window's scores for each length code. Requires that the window
  // has a posting.
  void BoundByLength(uint32_t window, LengthBounds& bounds);

 private:
  using Scores = std::array<float, kWindowDocs + 16>;

  void ComputeScores(uint32_t window, Scores& scores);

  PostingWindows windows_;
  TermScorer scorer_;
  const QueryKernels& kernels_;
  float escape_freq_;
  std::unique_ptr<LeastFreqs> table_;  // of FillCompetitive, made by its first call
  float table_min_score_ = 0;          // that table_ was made for; 0 before it was made
};

}  // namespace pmdex
