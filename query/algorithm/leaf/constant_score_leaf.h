// The leaf of a constant score: the documents of another leaf, all with the same score.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>

#include "query/algorithm/leaf/leaf.h"

namespace pmdex {

class ConstantScoreLeaf final : public Leaf {
 public:
  ConstantScoreLeaf(std::unique_ptr<Leaf> docs, float score)
      : docs_(std::move(docs)), score_(score) {}

  uint64_t Estimate() const override { return docs_->Estimate(); }
  bool EstimateReads() const override { return docs_->EstimateReads(); }
  uint32_t WindowEstimate(uint32_t window) override { return docs_->WindowEstimate(window); }
  uint32_t FirstWindowFrom(uint32_t window) override { return docs_->FirstWindowFrom(window); }
  void Fill(uint32_t window, WindowBits& bits) override { docs_->Fill(window, bits); }
  void Retain(uint32_t window, WindowBits& bits) override { docs_->Retain(window, bits); }
  void PrepareBounds() override { docs_->PrepareBounds(); }
  float Bound(uint32_t window) const override {
    return docs_->Bound(window) == 0 ? 0 : SegmentBound();
  }
  // Never 0, which would mean that there is no document.
  float SegmentBound() const override {
    return std::max(score_, std::numeric_limits<float>::min());
  }
  void FillCompetitive(uint32_t window, float min_score, WindowBits& bits) override {
    if (score_ >= min_score) Fill(window, bits);
  }
  void ScoreDocs(std::span<const DocId> docs, const ScoreArray&, ScoreArray& scores) override {
    const ScoreArray no_minimum{};
    docs_->ScoreDocs(docs, no_minimum, scores);
    for (size_t i = 0; i < docs.size(); ++i) scores[i] = scores[i] >= 0 ? score_ : kNoMatch;
  }
  bool PrefersFilledWindow() const override { return docs_->PrefersFilledWindow(); }
  const uint64_t* MemberBits() const override { return docs_->MemberBits(); }

 private:
  std::unique_ptr<Leaf> docs_;
  float score_;
};

}  // namespace pmdex
