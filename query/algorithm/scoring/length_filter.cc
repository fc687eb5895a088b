#include "query/algorithm/scoring/length_filter.h"

#include "query/algorithm/scoring/candidate_batch.h"

namespace pmdex {

// Rows of many leaves, like those of an expansion, would cost more than the few windows that have
// few of them could save.
LengthFilter::LengthFilter(std::span<Leaf* const> leaves, double slack) : slack_(slack) {
  constexpr size_t kMostRows = 8;
  if (leaves.size() > kMostRows) return;
  rows_.reserve(leaves.size());
  for (Leaf* leaf : leaves) {
    Row& row = rows_.emplace_back();
    row.leaf = leaf;
    row.term = leaf->AsTerm();
  }
}

// Each of many leaves lets most documents pass whatever their length.
bool LengthFilter::IsWorthIt(const Row& row, uint32_t window,
                             std::span<const uint32_t> present) const {
  constexpr size_t kMostLeaves = 3;
  constexpr uint32_t kLeastPostings = 128;
  return row.term != nullptr && present.size() > 1 && present.size() <= kMostLeaves &&
         row.leaf->WindowCost(window) >= kLeastPostings;
}

const LengthBounds& LengthFilter::BoundsOf(Row& row, uint32_t window) {
  if (row.window != window) row.term->BoundByLength(window, row.bounds);
  row.window = window;
  return row.bounds;
}

bool LengthFilter::FillPassing(uint32_t leaf, uint32_t window, float needed,
                               std::span<const uint32_t> present, WindowBits& bits) {
  if (rows_.empty()) return false;
  const Row& row = rows_[leaf];
  if (!IsWorthIt(row, window, present)) return false;
  const LengthBounds* others = nullptr;
  double rest = 0;  // what leaves of other fields and other kinds can add
  for (const uint32_t i : present) {
    if (i == leaf) continue;
    Row& other = rows_[i];
    if (other.term == nullptr || other.term->scorer().lengths != row.term->scorer().lengths) {
      rest += other.leaf->Bound(window);
      continue;
    }
    const LengthBounds& bounds = BoundsOf(other, window);
    if (others == nullptr) {
      others = &bounds;
      continue;
    }
    for (size_t code = 0; code < sum_.of.size(); ++code) {
      sum_.of[code] = others->of[code] + bounds.of[code];
    }
    others = &sum_;
  }
  if (others == nullptr) return false;
  row.term->FillPassing(window, WithoutOthers(needed, rest, slack_), *others, bits);
  return true;
}

}  // namespace pmdex
