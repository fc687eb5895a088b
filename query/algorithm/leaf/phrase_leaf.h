// The leaf of a phrase. Candidates are the documents that have all its terms, found and filtered as
// those of terms are. How often they have an exact phrase is settled for a window at once
// (phrase_window.h). What is left, and a phrase with slop, is checked document by document: what it
// can score at most is known from the frequencies of its terms; positions are read of those that
// pass.
#pragma once

#include <optional>
#include <vector>

#include "query/algorithm/leaf/leaf.h"
#include "query/algorithm/leaf/phrase_check.h"
#include "query/algorithm/leaf/phrase_window.h"
#include "query/algorithm/leaf/posting_windows.h"

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
  bool KnowsOneWindow() const override { return true; }
  float SegmentBound() const override;

 private:
  float Score(DocId doc, float needed);
  void RetainCandidates(uint32_t window, WindowBits& bits);
  bool PrepareTable(float needed);
  bool FindAll(DocId doc);
  float Frequency(DocId doc);
  float GreatestFrequency() const;
  float UnorderedBound() const;

  std::vector<PostingWindows> terms_;  // the rarest first; each once, however often it occurs
  std::vector<uint32_t> postings_;     // of the document at hand, as terms_
  std::vector<PhraseSlot> slots_;      // those of fewer positions first
  std::optional<PhraseCheck> check_;
  TermScorer scorer_;
  const QueryKernels& kernels_;
  CursorContext& context_;
  bool exact_;
  std::optional<PhraseWindow> exact_window_;  // of an exact phrase of several slots
  std::vector<float> bounds_;
  LeastFreqs table_;
  float table_needed_ = 0;  // what table_ is for; 0: none yet
};

}  // namespace pmdex
