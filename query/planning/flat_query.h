// A bound query as two levels: clauses, each of which is any of a few leaves. Most queries have
// that shape: words, phrases and patterns, required, optional or prohibited, each over one field or
// several. What is deeper (a group of required words inside another group, say) is a leaf too
// (group_leaf.h).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "query/language/query.h"
#include "query/planning/query_binder.h"

namespace pmdex {

// A term, phrase, pattern, field, all or a group; part of the plan. Leaves of one sum are added and
// rounded before their sum is added to the clause's: a word of a group over several fields.
struct FlatLeaf {
  const BoundQuery* query = nullptr;
  uint32_t sum = 0;  // ascending within the clause
};

struct FlatClause {
  Occur occur = Occur::kShould;
  std::vector<FlatLeaf> leaves;  // a document matches the clause by any of them
};

// In the order of the query: scores are added in it. nullopt: nothing can match.
std::optional<std::vector<FlatClause>> Flatten(const BoundQuery& root);

}  // namespace pmdex
