// What a sorted search asks for. Plain values.
#pragma once

#include <cstddef>
#include <vector>

#include "query/result/sort_keys.h"

namespace pmdex {

struct SortRequest {
  std::vector<BoundSortKey> keys;  // at least one
  std::vector<SortRank> after;     // indexed like the keys; empty: from the first hit on
  size_t k = 10;
};

}  // namespace pmdex
