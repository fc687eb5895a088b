// Refuses boosts that make scores too large for a float: such a query cannot be ranked.
// Thread-safe: no state.
#pragma once

#include "query/language/query.h"

namespace pmdex {

// True if every score of the query, and every sum and product that makes one, is finite for every
// index and similarity. Errs on the safe side: it refuses products of boosts from about 1e32 on.
// Requires a tree of at most kMaxQueryDepth.
bool HasFiniteScores(const Query& query);

}  // namespace pmdex
