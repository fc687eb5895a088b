// Sorts the terms of a memtable for its flush: by field, then by bytes. Terms lie in memory in the
// order in which they were first met, so comparing two of them would miss the cache twice. Instead
// each sorted element carries twelve bytes of its term. Terms that agree in all twelve get the next
// twelve, in one prefetched pass (multikey sorting after Bentley and Sedgewick, "Fast algorithms
// for sorting and searching strings", 1997, with words for characters).
#pragma once

#include <cstdint>
#include <vector>

#include "engine/memtable/terms/term_table.h"

namespace pmdex {

// The terms that have a posting, sorted.
std::vector<TermHandle> SortTerms(const TermTable& table);

}  // namespace pmdex
