// Random query trees of the kinds that combine queries: boolean with every occur and with minimum
// numbers, constant score, disjunction max, and ids. The tests give the leaves. The same seed gives
// the same tree on every machine.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "query/language/query.h"
#include "tests/support/random_corpus.h"

namespace pmdex {

using QueryPointer = std::unique_ptr<Query>;

// leaf: makes a query that is no combination. id: makes an id, which may be of no document. depth:
// how deep the combinations nest at most.
QueryPointer RandomTree(SeededRandom& random, int depth, const std::function<QueryPointer()>& leaf,
                        const std::function<std::string()>& id);

// Makes a phrase prefix of a phrase or term, which it cuts short; nullptr of another kind.
QueryPointer ToPhrasePrefix(SeededRandom& random, QueryPointer query);

}  // namespace pmdex
