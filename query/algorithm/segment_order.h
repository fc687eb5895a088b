// The order in which one thread searches the segments of a query. The segment whose documents may
// score most comes first: its documents raise the minimum competitive score, and later segments
// whose upper bound is lower are not opened at all. The upper bounds come from the entries of the
// words, which the query holds already. Thread-safe: no state.
#pragma once

#include <cstddef>
#include <vector>

#include "query/algorithm/search_context.h"

namespace pmdex {

struct OrderedSegment {
  size_t segment = 0;  // its index in the snapshot
  float bound = 0;     // no document of it scores more; infinity if that is not known
};

// The segments of the snapshot by falling bound, the earlier one first among equals, without those
// that lack a word that every match has. In index order, with bounds of infinity, where all
// documents score the same. Requires that no weight is negative.
std::vector<OrderedSegment> OrderSegments(const SearchContext& context);

}  // namespace pmdex
