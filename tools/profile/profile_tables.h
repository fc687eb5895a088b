// The tables of a profile, as values. Thread-safe: no state.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/profile/profile_result.h"
#include "tools/report/report_table.h"

namespace pmdex {

// What tells the configuration from the others: "logs, pruned, 2 threads", without the parts that
// are the same in all. If there is only one: "pruned, 1 thread".
std::string NameOfConfiguration(const ProfileResult& result,
                                const ProfiledConfiguration& configuration);

// The name of the group, or its range: "3 to 9".
std::string LabelOf(const QueryGroup& group);

// A metric that tables of groups have a column for.
struct ColumnMetric {
  const char* metric;
  std::string_view title;
};
std::span<const ColumnMetric> ColumnsOfGroups();
// Those that one of these has a value for, with the titles of its table.
std::vector<ColumnMetric> ColumnsOf(std::span<const MetricSet* const> sets);
// A cell for each column; empty: not measured.
std::vector<std::string> CellsOf(std::span<const ColumnMetric> columns, const MetricSet& metrics);

// One row a metric, one column a configuration.
ReportTable MetricTable(const ProfileResult& result);
// One row a group: what was measured of it, in the columns that matter most, and at the end how
// often a query of it ran between two reads of the counters, and what these cost.
ReportTable GroupTable(const std::string& caption, const std::string& first_column,
                       const std::vector<QueryGroup>& groups);
// The slowest queries, slowest first; without times, as in a simulation, those with the most
// instructions. Long queries are cut. Empty if nothing is known of each query.
ReportTable QueryTable(const ProfiledConfiguration& configuration, size_t most);

// One row a class, one column a phase; empty if classes have no phases.
ReportTable PhasesByClassTable(const ProfiledConfiguration& configuration);
ReportTable PhaseTable(const ProfiledConfiguration& configuration, bool simulated);
// The bytes that a query touches by section; empty if they were not recorded.
ReportTable TouchedTable(const ProfiledConfiguration& configuration);
// The same of each class: one row a class, one column a section.
ReportTable TouchedByClassTable(const ProfiledConfiguration& configuration);
// A row for each inconsistent metric of each part of a whole: a thread, a stage. Empty if there is
// none.
ReportTable InconsistentOf(const std::string& first_column,
                           const std::vector<std::pair<std::string, const MetricSet*>>& parts);
// Empty if nothing was inconsistent.
ReportTable InconsistentTable(const ProfileResult& result);

}  // namespace pmdex
