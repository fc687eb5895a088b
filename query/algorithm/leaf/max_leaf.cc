#include "query/algorithm/leaf/max_leaf.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "query/algorithm/leaf/rounding_margin.h"
#include "query/max_score.h"

namespace pmdex {

MaxLeaf::MaxLeaf(std::vector<std::unique_ptr<Leaf>> parts, float tie_breaker,
                 CursorContext& context)
    : parts_(std::move(parts)),
      tie_breaker_(tie_breaker),
      context_(context),
      scores_(parts_.size()) {
  for (const auto& part : parts_) {
    prefers_filled_window_ = prefers_filled_window_ || part->PrefersFilledWindow();
  }
}

uint64_t MaxLeaf::Estimate() const {
  uint64_t documents = 0;
  for (const auto& part : parts_) documents += part->Estimate();
  return documents;
}

uint32_t MaxLeaf::WindowEstimate(uint32_t window) {
  uint32_t documents = 0;
  for (const auto& part : parts_) documents += part->WindowEstimate(window);
  return std::min(documents, kWindowDocs);
}

uint32_t MaxLeaf::FirstWindowFrom(uint32_t window) {
  uint32_t first = 0xffffffff;
  for (const auto& part : parts_) first = std::min(first, part->FirstWindowFrom(window));
  return first;
}

void MaxLeaf::Fill(uint32_t window, WindowBits& bits) {
  for (const auto& part : parts_) {
    if (IsOver()) return;
    part->Fill(window, bits);
  }
}

void MaxLeaf::PrepareBounds() {
  for (const auto& part : parts_) {
    if (IsOver()) return;
    part->PrepareBounds();
  }
}

// Greater scores give no smaller maximum. With a tie breaker that holds before rounding only, so
// that the next greater float is the bound.
template <typename F>
float MaxLeaf::MaxOf(F bound_of) const {
  MaxScore score(tie_breaker_);
  for (const auto& part : parts_) score.Add(bound_of(*part));
  const float bound = score.Total();
  if (tie_breaker_ == 0 || bound == 0) return bound;
  return std::nextafter(bound, std::numeric_limits<float>::infinity());
}

float MaxLeaf::Bound(uint32_t window) const {
  return MaxOf([window](const Leaf& part) { return part.Bound(window); });
}

float MaxLeaf::SegmentBound() const {
  return MaxOf([](const Leaf& part) { return part.SegmentBound(); });
}

// What a part must score so that a document of which it is the best part reaches min_score. The
// others add at most their bounds, and none of them more than the best. all: the bounds of all
// parts, added up. bound: of this part.
float MaxLeaf::LeastOf(float bound, double all, float min_score) const {
  if (tie_breaker_ == 0) return min_score;
  const double margin = RoundingMarginOf(parts_.size());
  const double tie_breaker{tie_breaker_};
  const float beside = MinScoreBeside(min_score, tie_breaker * (all - bound), margin);
  const double most = 1 + tie_breaker * static_cast<double>(parts_.size() - 1);
  return std::max(beside, static_cast<float>(min_score / most * (1 - margin)));
}

void MaxLeaf::FillCompetitive(uint32_t window, float min_score, WindowBits& bits) {
  double all = 0;
  for (const auto& part : parts_) all += part->Bound(window);
  for (const auto& part : parts_) {
    const float bound = part->Bound(window);
    if (bound == 0) continue;
    const float least = min_score > 0 ? LeastOf(bound, all, min_score) : 0;
    if (bound < least) continue;
    if (IsOver()) return;
    part->FillCompetitive(window, least, bits);
  }
}

// Without a tie breaker a score below the minimum does not matter unless it is the best one.
void MaxLeaf::ScoreDocs(std::span<const DocId> docs, const ScoreArray& min_scores,
                        ScoreArray& scores) {
  const ScoreArray no_minimum{};
  for (size_t part = 0; part < parts_.size() && !IsOver(); ++part) {
    parts_[part]->ScoreDocs(docs, tie_breaker_ == 0 ? min_scores : no_minimum, scores_[part]);
  }
  for (size_t i = 0; i < docs.size(); ++i) {
    MaxScore score(tie_breaker_);
    bool is_low = false;
    for (const ScoreArray& of_part : scores_) {
      is_low = is_low || of_part[i] == kTooLow;
      if (of_part[i] >= 0) score.Add(of_part[i]);
    }
    const bool known = score.any() && !(is_low && score.Total() < min_scores[i]);
    scores[i] = known ? score.Total() : is_low ? kTooLow : kNoMatch;
  }
}

}  // namespace pmdex
