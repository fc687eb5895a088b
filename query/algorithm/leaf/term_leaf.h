// The leaf of one posting list. Bounds of windows come from the bounds that the segment keeps for
// every block of postings, or, for a list of one block, from its postings.
#pragma once

#include <vector>

#include "query/algorithm/leaf/leaf.h"
#include "query/algorithm/leaf/posting_windows.h"

namespace pmdex {

// A frequency that no escape of the list exceeds.
float EscapeFreq(const PostingListView& list);

// No posting of the list scores higher.
float ListBound(const PostingListView& list, const TermScorer& scorer, const QueryKernels& kernels);

// No posting of the window scores higher; 0 exactly where there is none.
std::vector<float> WindowBounds(const PostingListView& list, const TermScorer& scorer,
                                uint32_t doc_count, const QueryKernels& kernels);

class TermLeaf final : public Leaf {
 public:
  TermLeaf(const PostingListView& list, const TermScorer& scorer, LeafContext& context)
      : postings_(list, context.cursor),
        scorer_(scorer),
        kernels_(context.kernels),
        doc_count_(context.cursor.doc_count),
        escape_freq_(EscapeFreq(list)) {}

  const PostingListView& list() const { return postings_.list(); }
  const TermScorer& scorer() const { return scorer_; }
  // Scores of at most kBatch postings, each below df.
  void ScorePostings(std::span<const uint32_t> postings, BatchLane& scores) const;
  // Whether the documents, read from the list, ascend and exist; notes damage when not.
  bool AreInOrder(std::span<const DocId> docs) { return postings_.AreInOrder(docs); }

  uint64_t Cost() const override { return postings_.list().df; }
  uint32_t WindowCost(uint32_t window) override { return postings_.Postings(window).size(); }
  uint32_t FirstWindowFrom(uint32_t window) override { return postings_.FirstWindowFrom(window); }
  void Fill(uint32_t window, WindowBits& bits) override { postings_.Fill(window, bits); }
  void PrepareBounds() override {
    bounds_ = WindowBounds(postings_.list(), scorer_, doc_count_, kernels_);
  }
  float Bound(uint32_t window) const override { return bounds_[window]; }
  void FillPassing(uint32_t window, float needed, WindowBits& bits) override;
  // The same where the others of a document give it no more than `others` for its length.
  void FillPassing(uint32_t window, float needed, const LengthBounds& others, WindowBits& bits);
  // No document of the window scores higher, by its length. Requires the window has one.
  void BoundByLength(uint32_t window, LengthBounds& bounds);
  void AddScores(uint32_t window, WindowSums& sums) override;
  void ScoreDocs(std::span<const DocId> docs, const BatchLane& needed, BatchLane& scores) override;
  float SegmentBound() const override { return ListBound(list(), scorer_, kernels_); }
  const uint64_t* MemberBits() const override { return list().bits; }
  TermLeaf* AsTerm() override { return this; }
  TermLeaf* AsSparseTerm() override { return postings_.is_bitset() ? nullptr : this; }

 private:
  PostingWindows postings_;
  TermScorer scorer_;
  const QueryKernels& kernels_;
  uint32_t doc_count_;
  float escape_freq_;
  std::vector<float> bounds_;
  LeastFreqs table_;
  float table_needed_ = 0;  // what table_ is for; 0: none yet
};

}  // namespace pmdex
