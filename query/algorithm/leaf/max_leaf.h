// The leaf of a disjunction max: the documents of any of its parts, with the best of their scores
// and a part of the others (max_score.h). A part may be any leaf. One thread uses a MaxLeaf.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "query/algorithm/leaf/leaf.h"
#include "query/cursor/cursor.h"

namespace pmdex {

class MaxLeaf final : public Leaf {
 public:
  // parts: in the order of the query, at least two. tie_breaker: at least 0 and less than 1. The
  // context must outlive the leaf.
  MaxLeaf(std::vector<std::unique_ptr<Leaf>> parts, float tie_breaker, CursorContext& context);

  uint64_t Estimate() const override;
  uint32_t WindowEstimate(uint32_t window) override;
  uint32_t FirstWindowFrom(uint32_t window) override;
  void Fill(uint32_t window, WindowBits& bits) override;
  void PrepareBounds() override;
  float Bound(uint32_t window) const override;
  float SegmentBound() const override;
  void FillCompetitive(uint32_t window, float min_score, WindowBits& bits) override;
  void ScoreDocs(std::span<const DocId> docs, const ScoreArray& min_scores,
                 ScoreArray& scores) override;
  bool PrefersFilledWindow() const override { return prefers_filled_window_; }

 private:
  template <typename F>
  float MaxOf(F bound_of) const;
  float LeastOf(float bound, double all, float min_score) const;

  // Called before each part's work on a window or a batch.
  bool IsOver() {
    constexpr uint64_t kPartWork = 64;
    return context_.IsOver(kPartWork);
  }

  std::vector<std::unique_ptr<Leaf>> parts_;
  const float tie_breaker_;
  bool prefers_filled_window_ = false;
  CursorContext& context_;
  std::vector<ScoreArray> scores_;  // of each part, used by ScoreDocs
};

}  // namespace pmdex
