#include "query/algorithm/leaf/group_leaf.h"

#include <algorithm>
#include <utility>

#include "query/algorithm/leaf/at_least.h"
#include "query/algorithm/leaf/rounding_margin.h"

namespace pmdex {

GroupLeaf::GroupLeaf(std::vector<Part> parts, uint32_t minimum, CursorContext& context)
    : parts_(std::move(parts)), minimum_(minimum), context_(context), scores_(parts_.size()) {
  for (const Part& part : parts_) any_required_ = any_required_ || IsRequired(part.occur);
  for (size_t i = 0; i < parts_.size(); ++i) {
    const Occur occur = parts_[i].occur;
    if (any_required_ ? IsRequired(occur) : occur == Occur::kShould) candidates_.push_back(i);
  }
  std::stable_sort(candidates_.begin(), candidates_.end(), [this](size_t a, size_t b) {
    return parts_[a].leaf->Estimate() < parts_[b].leaf->Estimate();
  });
}

uint64_t GroupLeaf::Estimate() const {
  if (any_required_) return parts_[candidates_[0]].leaf->Estimate();
  uint64_t cost = 0;
  for (const size_t i : candidates_) cost += parts_[i].leaf->Estimate();
  return cost;
}

uint32_t GroupLeaf::WindowEstimate(uint32_t window) {
  uint32_t least = kWindowDocs;
  uint32_t sum = 0;
  for (const size_t i : candidates_) {
    const uint32_t cost = parts_[i].leaf->WindowEstimate(window);
    least = std::min(least, cost);
    sum += cost;
  }
  return any_required_ ? least : std::min(sum, kWindowDocs);
}

uint32_t GroupLeaf::FirstWindowFrom(uint32_t window) {
  if (any_required_) return parts_[candidates_[0]].leaf->FirstWindowFrom(window);
  uint32_t first = 0xffffffff;
  for (const size_t i : candidates_) {
    first = std::min(first, parts_[i].leaf->FirstWindowFrom(window));
  }
  return first;
}

void GroupLeaf::DropProhibited(uint32_t window, WindowBits& bits) {
  for (const Part& part : parts_) {
    if (part.occur != Occur::kMustNot) continue;
    if (IsOver()) return;
    WindowBits docs;
    part.leaf->Fill(window, docs);
    bits.AndNot(docs);
  }
}

void GroupLeaf::FillRequired(uint32_t window, WindowBits& bits) {
  parts_[candidates_[0]].leaf->Fill(window, bits);
  for (size_t i = 1; i < candidates_.size() && !IsOver(); ++i) {
    parts_[candidates_[i]].leaf->Retain(window, bits);
  }
}

// Adds the documents of at least minimum_ optional parts.
void GroupLeaf::FillOptional(uint32_t window, WindowBits& bits) {
  AtLeast enough(minimum_);
  for (const Part& part : parts_) {
    if (part.occur != Occur::kShould) continue;
    if (IsOver()) return;
    if (minimum_ == 1) {
      part.leaf->Fill(window, bits);
    } else {
      WindowBits docs;
      part.leaf->Fill(window, docs);
      enough.Add(docs);
    }
  }
  bits.Or(enough.docs());
}

void GroupLeaf::Fill(uint32_t window, WindowBits& bits) {
  WindowBits docs;
  if (any_required_) FillRequired(window, docs);
  if (minimum_ != 0) {
    WindowBits optional;
    FillOptional(window, any_required_ ? optional : docs);
    if (any_required_) docs.And(optional);
  }
  DropProhibited(window, docs);
  bits.Or(docs);
}

// The upper bounds of the parts, added and rounded as scores are. Sums of greater numbers, rounded
// in the same places, are no smaller.
template <typename F>
float GroupLeaf::SumOf(F bound_of) const {
  double sum = 0;
  for (const Part& part : parts_) {
    if (part.occur == Occur::kMustNot) continue;
    const float bound = bound_of(*part.leaf);
    if (IsRequired(part.occur) && bound == 0) return 0;
    sum += bound;
  }
  return static_cast<float>(sum);
}

void GroupLeaf::PrepareBounds() {
  for (const Part& part : parts_) {
    if (IsOver()) return;
    if (part.occur != Occur::kMustNot) part.leaf->PrepareBounds();
  }
}

float GroupLeaf::Bound(uint32_t window) const {
  return SumOf([window](const Leaf& leaf) { return leaf.Bound(window); });
}

float GroupLeaf::SegmentBound() const {
  return SumOf([](const Leaf& leaf) { return leaf.SegmentBound(); });
}

// A document that reaches min_score has, in every part that it matches, at least what is left of
// min_score after the upper bounds of the other parts.
void GroupLeaf::FillCompetitive(uint32_t window, float min_score, WindowBits& bits) {
  const float bound = Bound(window);
  if (bound == 0 || bound < min_score) return;
  const double margin = RoundingMarginOf(parts_.size());
  double all = 0;
  for (const Part& part : parts_) {
    if (part.occur != Occur::kMustNot) all += part.leaf->Bound(window);
  }
  if (!any_required_) return FillFromEssential(window, min_score, all, bits);
  WindowBits docs;
  for (size_t i = 0; i < candidates_.size() && !IsOver(); ++i) {
    Leaf& leaf = *parts_[candidates_[i]].leaf;
    WindowBits competitive;
    leaf.FillCompetitive(window, MinScoreBeside(min_score, all - leaf.Bound(window), margin),
                         competitive);
    if (i == 0) {
      docs = competitive;
    } else {
      docs.And(competitive);
    }
  }
  bits.Or(docs);
}

// Without required parts: adds the documents of the parts with the greatest bounds, until those
// that are left do not reach min_score together. all: the bounds of all parts, added up.
void GroupLeaf::FillFromEssential(uint32_t window, float min_score, double all, WindowBits& bits) {
  const double margin = RoundingMarginOf(parts_.size());
  const auto bound = [&](size_t part) { return parts_[part].leaf->Bound(window); };
  order_ = candidates_;
  std::sort(order_.begin(), order_.end(),
            [&](size_t a, size_t b) { return bound(a) != bound(b) ? bound(a) > bound(b) : a < b; });
  double left = all;
  for (const size_t part : order_) {
    if (bound(part) == 0 || MinScoreBeside(min_score, left, margin) > 0 || IsOver()) return;
    const float least = MinScoreBeside(min_score, all - bound(part), margin);
    if (bound(part) >= least) parts_[part].leaf->FillCompetitive(window, least, bits);
    left -= bound(part);
  }
}

void GroupLeaf::AddScores(uint32_t window, WindowSums& sums) {
  const float bound = Bound(window);
  if (bound == 0) return;
  WindowBits docs;
  Fill(window, docs);
  docs.ForEach([&](uint32_t doc) {
    sums.of[doc] += bound;
    return true;
  });
}

// Decides, when documents are scored for the first time, in which order the parts score: required
// parts first, so that the others score what these leave; without required parts those with the
// greatest bounds.
void GroupLeaf::PrepareScoring() {
  std::vector<float> bounds;
  for (const Part& part : parts_) {
    bounds.push_back(part.occur == Occur::kMustNot ? 0 : part.leaf->SegmentBound());
  }
  std::vector<size_t> order = candidates_;
  if (!any_required_) {
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return bounds[a] > bounds[b]; });
  }
  for (size_t part = 0; part < parts_.size(); ++part) {
    if (std::find(order.begin(), order.end(), part) == order.end()) order.push_back(part);
  }
  double after = 0;
  for (auto part = order.rbegin(); part != order.rend(); ++part) {
    steps_.insert(steps_.begin(), {*part, after});
    after += bounds[*part];
  }
}

// Scores what is left in one part, and drops the documents that the part excludes: a required part
// those that it does not match, a prohibited part those that it matches, and every part those that
// do not reach their minimum even if all later parts score their bounds.
void GroupLeaf::ScorePart(const Step& step, Remaining& left, ScoreArray& scores) {
  if (left.count == 0 || IsOver()) return;
  const Part& part = parts_[step.part];
  const double margin = RoundingMarginOf(parts_.size());
  ScoreArray needed{};
  for (uint32_t i = 0; i < left.count && part.occur != Occur::kMustNot; ++i) {
    needed[i] = MinScoreBeside(left.needed[i], left.known[i] + step.bounds_after, margin);
  }
  ScoreArray found;
  part.leaf->ScoreDocs({left.docs.data(), left.count}, needed, found);
  uint32_t kept = 0;
  for (uint32_t i = 0; i < left.count; ++i) {
    const float score = found[i];
    scores_[step.part][left.place[i]] = score;
    const bool matches = score >= 0;
    const bool too_low = score == kTooLow;
    if (matches ? part.occur == Occur::kMustNot : IsRequired(part.occur) && !too_low) continue;
    const double known = left.known[i] + (matches ? score : 0);
    if (too_low || MinScoreBeside(left.needed[i], known + step.bounds_after, margin) > 0) {
      scores[left.place[i]] = kTooLow;
      continue;
    }
    left.docs[kept] = left.docs[i];
    left.needed[kept] = left.needed[i];
    left.known[kept] = known;
    left.place[kept++] = left.place[i];
  }
  left.count = kept;
}

float GroupLeaf::ScoreAt(uint32_t place) const {
  uint32_t optional = 0;
  double sum = 0;
  for (size_t part = 0; part < parts_.size(); ++part) {
    const float score = scores_[part][place];
    if (parts_[part].occur == Occur::kMustNot || score < 0) continue;
    optional += parts_[part].occur == Occur::kShould ? 1 : 0;
    sum += score;
  }
  return optional >= minimum_ ? static_cast<float>(sum) : kNoMatch;
}

void GroupLeaf::ScoreDocs(std::span<const DocId> docs, const ScoreArray& min_scores,
                          ScoreArray& scores) {
  if (steps_.empty()) PrepareScoring();
  Remaining left;
  for (const DocId doc : docs) {
    left.place[left.count] = left.count;
    left.needed[left.count] = min_scores[left.count];
    left.known[left.count] = 0;
    left.docs[left.count++] = doc;
  }
  std::fill_n(scores.begin(), docs.size(), kNoMatch);
  for (const Step& step : steps_) ScorePart(step, left, scores);
  for (uint32_t i = 0; i < left.count; ++i) scores[left.place[i]] = ScoreAt(left.place[i]);
}

}  // namespace pmdex
