// A leaf whose documents and scores were all computed before it was opened, as those of a phrase
// prefix are. One thread uses a ListedLeaf.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "query/algorithm/leaf/leaf.h"

namespace pmdex {

class ListedLeaf final : public Leaf {
 public:
  // docs: ascending, and below doc_count. scores: of each.
  ListedLeaf(std::vector<DocId> docs, std::vector<float> scores, uint32_t doc_count);

  uint64_t Estimate() const override { return docs_.size(); }
  std::optional<uint64_t> KnownCount() const override { return docs_.size(); }
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
