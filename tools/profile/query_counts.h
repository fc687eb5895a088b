// What each query of a profile counted, and the metrics of groups of queries that follow from it.
// Thread-safe: no state.
#pragma once

#include <functional>
#include <vector>

#include "pmem/status.h"
#include "tools/counters/metrics.h"
#include "tools/profile/profile_queries.h"
#include "tools/profile/profile_result.h"

namespace pmdex {

// What one query counted in all passes.
struct QueryCounts {
  std::vector<GroupCounts> groups;  // indexed like EventTable::groups
  double wall_ns = 0;               // of one run without counters; 0: not timed
};

// The table of the CPU and, behind it, the groups of the software table, which are always counted.
EventTable WithSoftware(const EventTable& hardware);

// The sum over the queries, each counted as if it had run once.
CounterTotals TotalsOf(const std::vector<QueryCounts>& counts);

// Groups queries by range and name of `key`, and computes the metrics of each group. counts:
// indexed like queries.
absl::StatusOr<std::vector<QueryGroup>> GroupQueries(
    const EventTable& table, const std::vector<ProfileQuery>& queries,
    const std::vector<QueryCounts>& counts,
    const std::function<QueryGroup(const ProfileQuery&)>& key);

// Sets buckets, classes and plans of the result.
absl::Status AddQueryGroups(const EventTable& table, const std::vector<ProfileQuery>& queries,
                            const std::vector<QueryCounts>& counts, ProfiledConfiguration& result);

}  // namespace pmdex
