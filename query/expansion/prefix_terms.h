// Expands the last word of a phrase prefix to the first terms of all segments that begin with it.
//
// The planner calls it: query tree -> BindQuery -> ExpandPrefix. Stateless, thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "engine/store/snapshot.h"
#include "pmem/status.h"
#include "query/deadline.h"
#include "query/planning/bound_query.h"

namespace pmdex {

// The first `most` terms of the field that begin with the prefix, in byte order, without weights.
// The result is incomplete if the watch is over on return. kDataLoss if a dictionary is damaged.
absl::StatusOr<std::vector<BoundTerm>> ExpandPrefix(const std::string& field,
                                                    std::string_view prefix, size_t most,
                                                    const Snapshot& snapshot, DeadlineWatch& watch);

}  // namespace pmdex
