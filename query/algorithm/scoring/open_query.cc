#include "query/algorithm/scoring/open_query.h"

#include <utility>

namespace pmdex {

uint64_t OpenClause::Cost() const {
  uint64_t cost = 0;
  for (const auto& leaf : leaves) cost += leaf->Cost();
  return cost;
}

void OpenClause::Fill(uint32_t window, WindowBits& bits) const {
  for (const auto& leaf : leaves) leaf->Fill(window, bits);
}

void OpenClause::Retain(uint32_t window, WindowBits& bits) const {
  if (leaves.size() == 1) return leaves[0]->Retain(window, bits);
  WindowBits docs;
  Fill(window, docs);
  bits.And(docs);
}

absl::StatusOr<std::vector<OpenClause>> OpenClauses(std::span<const FlatClause> clauses,
                                                    LeafContext& context) {
  std::vector<OpenClause> open;
  bool has_positive = false;
  for (const FlatClause& clause : clauses) {
    OpenClause here{clause.occur, {}, {}};
    for (const FlatLeaf& leaf : clause.leaves) {
      PMDEX_ASSIGN_OR_RETURN(std::unique_ptr<Leaf> opened, OpenLeaf(*leaf.query, context));
      if (opened == nullptr) continue;
      here.leaves.push_back(std::move(opened));
      here.sums.push_back(leaf.sum);
    }
    if (here.leaves.empty()) {
      if (clause.occur == Occur::kMust) return std::vector<OpenClause>();
      continue;
    }
    has_positive = has_positive || clause.occur != Occur::kMustNot;
    open.push_back(std::move(here));
  }
  if (!has_positive) open.clear();
  return open;
}

}  // namespace pmdex
