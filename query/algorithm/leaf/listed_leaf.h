// A leaf whose documents and scores were all computed when it was opened, with a cursor. It serves
// queries that have no faster way: a phrase prefix inside another query. One thread uses a
// ListedLeaf.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "query/algorithm/leaf/leaf.h"
#include "query/cursor/cursor.h"

namespace pmdex {

class ListedLeaf final : public Leaf {
 public:
  // Walks over the cursor. If the cursor's context has timed out, the leaf is incomplete.
  ListedLeaf(DocCursor& cursor, uint32_t doc_count);

  uint64_t Estimate() const override { return docs_.size(); }
  uint32_t WindowEstimate(uint32_t window) override;
  uint32_t FirstWindowFrom(uint32_t window) override;
  void Fill(uint32_t window, WindowBits& bits) override;
  void PrepareBounds() override {}
  float Bound(uint32_t window) const override { return bounds_[window]; }
  float SegmentBound() const override { return bound_; }
  void FillCompetitive(uint32_t window, float min_score, WindowBits& bits) override;
  void ScoreDocs(std::span<const DocId> docs, const ScoreArray& min_scores,
                 ScoreArray& scores) override;

 private:
  std::pair<size_t, size_t> Range(uint32_t window) const;

  std::vector<DocId> docs_;    // ascending
  std::vector<float> scores_;  // of each
  std::vector<float> bounds_;  // by window
  float bound_ = 0;
};

}  // namespace pmdex
