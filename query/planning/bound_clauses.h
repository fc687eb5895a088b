// Puts bound clauses together to one query and simplifies it: clauses that can match nothing go,
// and a query of one clause becomes that clause. Every search then sees the same few forms.
// Internal to query_binder.h. Thread-safe: no state.
#pragma once

#include <cstdint>
#include <vector>

#include "query/planning/bound_query.h"

namespace pmdex {

// A boolean query. clauses: in the order of the query; those that are not scored are bound with a
// boost of 0. boost: the product of the boosts down to the boolean; a query of prohibited clauses
// alone scores it. minimum: Query::minimum_should_match.
BoundPointer BooleanOf(std::vector<BoundClause> clauses, uint32_t minimum, float boost);
// The documents of `filter`, which was bound with a boost of 0, all with the score.
BoundPointer ConstantScoreOf(BoundPointer filter, float score);
// Requires clauses of Occur::kShould and a tie breaker from 0 to 1.
BoundPointer DisjunctionMaxOf(std::vector<BoundClause> clauses, float tie_breaker, float boost);

}  // namespace pmdex
