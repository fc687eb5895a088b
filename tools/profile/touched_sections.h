// What the queries of a profile touch in the segments, recorded load by load
// (compare/medium/access_recorder.h) after the counted passes. For one thread.
#pragma once

#include <cstddef>
#include <vector>

#include "pmem/status.h"
#include "query/searcher.h"
#include "tools/profile/profile_queries.h"
#include "tools/profile/profile_result.h"

namespace pmdex {

// A load takes some microseconds to record. None are recorded if `loads_of_all` is 0.
struct TouchLimits {
  size_t loads_of_query = 100'000;
  size_t loads_of_all = 400'000;  // of all queries together
};

// Sets touched and touched_queries from two queries of each class, evenly spread, or more of them
// if there are few classes; also those of the classes, which are set before. Each class counts by
// the number of its queries. Queries beyond the limits are left out, and a note says so; so it does
// where loads cannot be recorded at all.
absl::Status AddTouchedSections(const Searcher& searcher, const std::vector<ProfileQuery>& queries,
                                bool exhaustive, ProfiledConfiguration& configuration,
                                const TouchLimits& limits = {});

}  // namespace pmdex
