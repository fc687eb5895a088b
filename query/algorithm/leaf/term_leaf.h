// The leaf of one term.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "query/algorithm/leaf/leaf.h"
#include "query/algorithm/leaf/segment_context.h"
#include "query/algorithm/leaf/term_postings.h"
#include "query/algorithm/postings/list_bounds.h"

namespace pmdex {

class TermLeaf final : public Leaf {
 public:
  TermLeaf(const PostingListView& list, const TermScorer& scorer, SegmentContext& context)
      : postings_(list, scorer, context),
        kernels_(context.kernels),
        doc_count_(context.cursor.doc_count),
        segment_bound_(ListBound(list, scorer, context.kernels)) {}

  uint64_t Estimate() const override { return list().df; }
  uint32_t WindowEstimate(uint32_t window) override { return windows().Postings(window).size(); }
  uint32_t FirstWindowFrom(uint32_t window) override { return windows().FirstWindowFrom(window); }
  void Fill(uint32_t window, WindowBits& bits) override { windows().Fill(window, bits); }
  void Retain(uint32_t window, WindowBits& bits) override;
  void PrepareBounds() override {
    bounds_ = WindowBounds(list(), postings_.scorer(), doc_count_, kernels_);
  }
  float Bound(uint32_t window) const override { return bounds_[window]; }
  float SegmentBound() const override { return segment_bound_; }
  void FillCompetitive(uint32_t window, float min_score, WindowBits& bits) override {
    postings_.FillCompetitive(window, min_score, bits);
  }
  void AddScores(uint32_t window, WindowSums& sums) override { postings_.AddScores(window, sums); }
  void ScoreDocs(std::span<const DocId> docs, const ScoreArray& min_scores,
                 ScoreArray& scores) override;
  const uint64_t* MemberBits() const override { return list().bits; }
  TermPostings* term_postings() override { return &postings_; }

 private:
  const PostingListView& list() const { return postings_.list(); }
  PostingWindows& windows() { return postings_.windows(); }

  TermPostings postings_;
  const QueryKernels& kernels_;
  uint32_t doc_count_;
  float segment_bound_;
  std::vector<float> bounds_;  // by window
};

}  // namespace pmdex
