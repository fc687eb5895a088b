// Filters the postings of a term by what the other leaves of a query can give a document of the
// same length. A window's bound of another leaf is often that of a short document; a long one, with
// as many occurrences as any in the window, scores less there. So for each length code what the
// others can add is bounded by itself, and what is left to be needed of the term with it: fewer
// documents pass than with bounds of windows alone, and every one that can reach the score does.
//
// Belongs to one thread; the leaves must outlive it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "query/algorithm/leaf/leaf.h"
#include "query/algorithm/leaf/term_leaf.h"

namespace pmdex {

class LengthFilter {
 public:
  // slack: of sums of bounds (CandidateBatch).
  LengthFilter(std::span<Leaf* const> leaves, double slack);

  // As the FillPassing of leaf number `leaf` for what it must give to `needed` > 0 beside
  // `present`, the leaves that the window has. False, and nothing is filled, where a common field
  // is missing or a table would cost more than it saves.
  bool FillPassing(uint32_t leaf, uint32_t window, float needed, std::span<const uint32_t> present,
                   WindowBits& bits);

 private:
  struct Row {
    Leaf* leaf = nullptr;
    TermLeaf* term = nullptr;  // the same, when it is one
    uint32_t window = 0xffffffff;
    LengthBounds bounds;  // of the window
  };

  bool IsWorthIt(const Row& row, uint32_t window, std::span<const uint32_t> present) const;
  const LengthBounds& BoundsOf(Row& row, uint32_t window);

  std::vector<Row> rows_;
  double slack_;
  LengthBounds sum_;
};

}  // namespace pmdex
