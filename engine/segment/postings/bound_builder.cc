#include "engine/segment/postings/bound_builder.h"

#include <algorithm>

namespace pmdex {
namespace {

constexpr size_t kPoints = sizeof(BoundPoints::tf);

struct Frontier {
  size_t count = 0;
  uint8_t tf[256];           // falling
  uint8_t length_code[256];  // falling
};

// How much the bound rises if a point that dominates both replaces the points i and i + 1, in
// arbitrary units: the relative increase of the one tf, times the decrease of the other length
// code.
uint32_t MergeCost(const Frontier& frontier, size_t i) {
  const uint32_t tf_gap = frontier.tf[i] - frontier.tf[i + 1];
  const uint32_t code_gap = frontier.length_code[i] - frontier.length_code[i + 1];
  return tf_gap * code_gap * 256 / frontier.tf[i];
}

void MergeCheapest(Frontier& frontier) {
  size_t best = 0;
  for (size_t i = 1; i + 1 < frontier.count; ++i) {
    if (MergeCost(frontier, i) < MergeCost(frontier, best)) best = i;
  }
  frontier.length_code[best] = frontier.length_code[best + 1];
  for (size_t i = best + 1; i + 1 < frontier.count; ++i) {
    frontier.tf[i] = frontier.tf[i + 1];
    frontier.length_code[i] = frontier.length_code[i + 1];
  }
  --frontier.count;
}

}  // namespace

BoundBuilder::BoundBuilder() {
  std::fill(std::begin(least_code_), std::end(least_code_), kNone);
}

void BoundBuilder::Add(const BoundBuilder& other) {
  for (uint32_t tf = 0; tf <= other.greatest_tf_; ++tf) {
    least_code_[tf] = std::min(least_code_[tf], other.least_code_[tf]);
  }
  greatest_tf_ = std::max(greatest_tf_, other.greatest_tf_);
}

BoundPoints BoundBuilder::Points() const {
  Frontier frontier;
  uint16_t least = kNone;
  for (uint32_t tf = greatest_tf_ + 1; tf-- > 0;) {
    if (least_code_[tf] >= least) continue;
    least = least_code_[tf];
    frontier.tf[frontier.count] = static_cast<uint8_t>(tf);
    frontier.length_code[frontier.count] = static_cast<uint8_t>(least);
    ++frontier.count;
  }
  while (frontier.count > kPoints) MergeCheapest(frontier);
  BoundPoints points{};
  std::copy_n(frontier.tf, frontier.count, points.tf);
  std::copy_n(frontier.length_code, frontier.count, points.length_code);
  return points;
}

void BoundBuilder::Clear() {
  std::fill_n(least_code_, greatest_tf_ + 1, kNone);
  greatest_tf_ = 0;
}

}  // namespace pmdex
