// From what each query counted to the metrics of all queries, and of those with the same class,
// plan or length of lists. Thread-safe: no state.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "pmem/status.h"
#include "tools/counters/event_table.h"
#include "tools/counters/metrics.h"
#include "tools/profile/profile_queries.h"
#include "tools/profile/profile_result.h"

namespace pmdex {

// The table of the CPU and, behind it, the groups of the software table, which are always counted.
EventTable WithSoftware(const EventTable& hardware);

// What one query counted in all passes, indexed like EventTable::groups.
struct QueryCounts {
  std::vector<GroupCounts> groups;
  double wall_ns = 0;    // of one run without counters
  uint64_t repeats = 0;  // runs between two reads of the counters; 0: nothing was read
};

// Sets the metrics of all queries and those by class, plan and bucket. counts: indexed like
// queries. others: more values for the metrics of all queries, by name. Requires that read_ns of
// the result is set.
absl::Status SetMetrics(const EventTable& table, const std::vector<ProfileQuery>& queries,
                        const std::vector<QueryCounts>& counts,
                        const std::map<std::string, double>& others, ProfiledConfiguration& result);

// A group for each query, named by its text and with the range of its postings. read_ns: what one
// read of the counters takes; 0: nothing was read.
absl::StatusOr<std::vector<QueryGroup>> MetricsOfEachQuery(const EventTable& table,
                                                           const std::vector<ProfileQuery>& queries,
                                                           const std::vector<QueryCounts>& counts,
                                                           double read_ns);

}  // namespace pmdex
