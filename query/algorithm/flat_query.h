// A bound query as two levels: clauses, each of which is any of a few leaves. Most queries have
// that shape: words, phrases and patterns, required, optional or prohibited, each over one field or
// several. What does not (a group of required words inside another group, say) is left to the
// exhaustive evaluator.
#pragma once

#include <optional>
#include <vector>

#include "query/planner.h"
#include "query/query.h"

namespace pmdex {

struct FlatClause {
  Occur occur = Occur::kShould;
  // Terms, phrases, patterns, fields, all; a document matches the clause by any of them. Part of
  // the plan.
  std::vector<const BoundQuery*> leaves;
};

// In the order of the query: scores are added in it. nullopt: not of that shape.
std::optional<std::vector<FlatClause>> Flatten(const BoundQuery& root);

}  // namespace pmdex
