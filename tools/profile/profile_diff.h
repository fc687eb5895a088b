// Compares two saved profiles, or the configurations of one, and says which node of the top-down
// hierarchy explains the difference in time. Thread-safe: no state.
#pragma once

#include <string>
#include <vector>

#include "tools/profile/profile_json.h"
#include "tools/report/report_table.h"

namespace pmdex {

// Metric, value before, value after, their ratio; a row for each metric that both have.
ReportTable DiffTable(const SavedProfile& before, const SavedProfile& after);

// The difference in cycles of a query, divided over the nodes of the hierarchy. For each node:
// cycles of a query that the node accounts for.
struct NodeChange {
  std::string node;
  double before = 0;
  double after = 0;
};
// By falling absolute change. Shares of slots count as shares of cycles. Empty if either profile
// has no top-down breakdown.
std::vector<NodeChange> ExplainDifference(const SavedProfile& before, const SavedProfile& after);

// One sentence, or the reason why there is none.
std::string DifferenceInWords(const SavedProfile& before, const SavedProfile& after);

// The metrics of a configuration as --diff reads them.
SavedProfile AsSaved(const ProfiledConfiguration& configuration, const std::string& name,
                     const std::string& source);

}  // namespace pmdex
