// Measures queries over one index: the time of each without counters, then one pass for each group
// of events with a read of the counters before and after each query, then a pass that samples where
// the code is. Nothing is marked inside the search.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "pmem/status.h"
#include "query/searcher.h"
#include "tools/counters/counter_source.h"
#include "tools/counters/event_table.h"
#include "tools/profile/profile_options.h"
#include "tools/profile/profile_queries.h"
#include "tools/profile/profile_result.h"

namespace pmdex {

// Runs queries, and nothing else. The caller sets index and mode of the result. Each group of the
// table is opened by each thread. A group that the source refuses is left out with a note. Returns
// an error if the queries cannot be answered.
absl::StatusOr<ProfiledConfiguration> ProfileQueries(const Searcher& searcher,
                                                     const std::vector<ProfileQuery>& queries,
                                                     const EventTable& table, CounterSource& source,
                                                     const ProfileRunOptions& options);

}  // namespace pmdex
