// The clauses of a flat query, opened in one segment.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "pmem/status.h"
#include "query/algorithm/leaf/leaf.h"
#include "query/planning/flat_query.h"

namespace pmdex {

struct OpenClause {
  Occur occur = Occur::kShould;
  std::vector<std::unique_ptr<Leaf>> leaves;
  std::vector<uint32_t> sums;  // of each leaf (FlatLeaf::sum)

  uint64_t Cost() const;
  // A document that its only leaf does not match cannot be a hit.
  bool IsOneRequiredLeaf() const { return occur == Occur::kMust && leaves.size() == 1; }
  // Adds the documents of any leaf.
  void Fill(uint32_t window, WindowBits& bits) const;
  // Takes out the documents of no leaf.
  void Retain(uint32_t window, WindowBits& bits) const;
};

// Without clauses that match nothing here; no clauses at all when nothing can match. In the order
// of the query.
absl::StatusOr<std::vector<OpenClause>> OpenClauses(std::span<const FlatClause> clauses,
                                                    LeafContext& context);

}  // namespace pmdex
