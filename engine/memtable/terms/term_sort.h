// The order in which a memtable's terms are flushed: by field, then by bytes. Terms lie where they
// were first met, so a comparison that looks at two of them misses the cache twice. Instead each
// sorted element carries twelve bytes of its term; terms that agree in all of them get the next
// twelve, in one prefetched pass (multikey sorting after Bentley and Sedgewick, "Fast algorithms
// for sorting and searching strings", 1997, with words for characters).
#pragma once

#include <cstdint>
#include <vector>

#include "engine/memtable/terms/term_table.h"

namespace pmdex {

// The terms that have a posting.
std::vector<TermHandle> SortTerms(const TermTable& table);

}  // namespace pmdex
