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

// What one node of the hierarchy, or one phase, accounts for in a query.
struct NodeChange {
  std::string node;
  double before = 0;
  double after = 0;
};
// The cycles of a query, divided over the nodes of the hierarchy, by falling absolute change.
// A node stands by the parts that both profiles have; what these leave of it is a node of its own
// ("other memory bound"). Shares of slots count as shares of cycles. Empty if either profile has no
// top-down breakdown.
std::vector<NodeChange> ExplainDifference(const SavedProfile& before, const SavedProfile& after);

// The same without hardware counters: CPU time (or simulated instructions) of a query, divided over
// the phases by their share of the samples. Empty if either profile has no phases.
std::vector<NodeChange> ExplainByPhase(const SavedProfile& before, const SavedProfile& after);

// The nodes, or else the phases, as a table; without rows if neither is known of both.
ReportTable PartsOfDifference(const SavedProfile& before, const SavedProfile& after);

// One sentence, or the reason why there is none.
std::string DifferenceInWords(const SavedProfile& before, const SavedProfile& after);

// The metrics of a configuration as --diff reads them.
SavedProfile AsSaved(const ProfiledConfiguration& configuration, const std::string& name,
                     const std::string& source);

}  // namespace pmdex
