// The leaf of a phrase. Candidates are the documents that have all its terms, found and filtered
// as those of terms are, and in whose text the two rarest stand as they should, which is settled
// for a window at once; what a candidate can score at most is known from the frequencies of its
// terms; positions are read only of those that are left, the rarest term's first.
#pragma once

#include <optional>
#include <vector>

#include "query/algorithm/leaf.h"
#include "query/algorithm/phrase_check.h"
#include "query/algorithm/posting_windows.h"

namespace pmdex {

class PhraseLeaf final : public Leaf {
 public:
  // lists: one a slot of the phrase, in its order; at least one. query: a phrase.
  PhraseLeaf(std::vector<PostingListView> lists, const BoundQuery& query, LeafContext& context);

  uint64_t Cost() const override { return terms_[0].list().df; }
  uint32_t WindowCost(uint32_t window) override;
  uint32_t FirstWindowFrom(uint32_t window) override { return terms_[0].FirstWindowFrom(window); }
  void Fill(uint32_t window, WindowBits& bits) override;
  void Retain(uint32_t window, WindowBits& bits) override;
  void PrepareBounds() override;
  float Bound(uint32_t window) const override { return bounds_[window]; }
  void FillPassing(uint32_t window, float needed, WindowBits& bits) override;
  void ScoreDocs(std::span<const DocId> docs, const BatchLane& needed, BatchLane& scores) override;
  float SegmentBound() const override;

 private:
  float Score(DocId doc, float needed);
  void RetainCandidates(uint32_t window, WindowBits& bits);
  void RetainPairs(uint32_t window, WindowBits& bits);
  bool HasPairCount(DocId doc) const;
  bool FindAll(DocId doc);
  float Frequency(DocId doc);
  float GreatestFrequency() const;
  float UnorderedBound() const;

  std::vector<PostingWindows> terms_;  // the rarest first; each once, however often it occurs
  std::vector<uint32_t> postings_;     // of the document at hand, as terms_
  std::vector<uint32_t> of_slot_;      // index into terms_ of each slot, the rarest first
  std::optional<PhraseCheck> check_;
  TermScorer scorer_;
  const QueryKernels& kernels_;
  CursorContext& context_;
  bool exact_;
  // Of an exact phrase: how often its two rarest terms stand as they should in each document of a
  // window; kManyPairs where that is not known.
  std::vector<uint8_t> pair_counts_;
  uint32_t pair_window_ = 0xffffffff;
  std::vector<float> bounds_;
  LeastFreqs table_;
};

}  // namespace pmdex
