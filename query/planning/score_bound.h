// How large scores can become: a query whose boosts ask for scores that no float holds cannot be
// ranked, and is refused before it is answered. Thread-safe: no state.
#pragma once

#include "query/language/query.h"

namespace pmdex {

// Whether every score, and every sum and product on the way to one, is finite, whatever the index
// and the similarity. Generous: refused are products of boosts of about 1e32 and more, which is
// also said of a query that is only nearly so large. Requires a tree of at most kMaxQueryDepth.
bool HasFiniteScores(const Query& query);

}  // namespace pmdex
