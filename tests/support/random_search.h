// Random queries and options for tests that compare whole searches.
#pragma once

#include <string>

#include "query/searcher.h"
#include "tests/support/random_corpus.h"

namespace pmdex {

// Of any k, similarity, number of threads and instruction set that the CPU has.
SearchOptions RandomOptions(SeededRandom& random);

// The text of a query for the index of windowed_index.h. Its groups nest up to `depth` times.
std::string RandomWindowedQuery(SeededRandom& random, int depth);

}  // namespace pmdex
