#include "tools/profile/query_counts.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace pmdex {
namespace {

void AddCounts(const QueryCounts& query, CounterTotals& totals) {
  totals.queries += 1;
  totals.groups.resize(std::max(totals.groups.size(), query.groups.size()));
  for (size_t g = 0; g < query.groups.size(); ++g) {
    const GroupCounts& from = query.groups[g];
    GroupCounts& to = totals.groups[g];
    // Repeats differ from query to query: each query counts as one run of it.
    if (from.runs == 0) continue;
    to.runs += 1;
    to.enabled_ns += from.enabled_ns;
    to.running_ns += from.running_ns;
    to.counts.resize(from.counts.size());
    for (size_t i = 0; i < from.counts.size(); ++i) {
      to.counts[i] += from.counts[i] / static_cast<double>(from.runs);
    }
  }
  if (query.wall_ns > 0) totals.others["wall_ns"] += query.wall_ns;
}

}  // namespace

EventTable WithSoftware(const EventTable& hardware) {
  const EventTable& software = SoftwareTable();
  EventTable both = hardware;
  both.events = Joined(std::move(both.events), software.events);
  both.groups = Joined(std::move(both.groups), software.groups);
  both.metrics = Joined(software.metrics, both.metrics);
  return both;
}

CounterTotals TotalsOf(const std::vector<QueryCounts>& counts) {
  CounterTotals totals;
  for (const QueryCounts& query : counts) AddCounts(query, totals);
  return totals;
}

absl::StatusOr<std::vector<QueryGroup>> GroupQueries(
    const EventTable& table, const std::vector<ProfileQuery>& queries,
    const std::vector<QueryCounts>& counts,
    const std::function<QueryGroup(const ProfileQuery&)>& key) {
  using Key = std::tuple<PostingRange, std::string>;
  std::map<Key, CounterTotals> totals;
  for (size_t i = 0; i < queries.size(); ++i) {
    const QueryGroup group = key(queries[i]);
    AddCounts(counts[i], totals[{group.range, group.name}]);
  }
  std::vector<QueryGroup> groups;
  for (const auto& [at, sum] : totals) {
    QueryGroup& group = groups.emplace_back();
    std::tie(group.range, group.name) = at;
    group.queries = sum.queries;
    PMDEX_ASSIGN_OR_RETURN(group.metrics, ComputeMetrics(table, sum));
  }
  return groups;
}

absl::Status AddQueryGroups(const EventTable& table, const std::vector<ProfileQuery>& queries,
                            const std::vector<QueryCounts>& counts, ProfiledConfiguration& result) {
  const auto group_by = [&](const std::function<QueryGroup(const ProfileQuery&)>& key) {
    return GroupQueries(table, queries, counts, key);
  };
  PMDEX_ASSIGN_OR_RETURN(result.buckets, group_by([](const ProfileQuery& query) {
                           return QueryGroup{"", RangeOfPostings(query.postings), 0, {}};
                         }));
  PMDEX_ASSIGN_OR_RETURN(result.classes, group_by([](const ProfileQuery& query) {
                           return QueryGroup{query.query_class, {}, 0, {}};
                         }));
  PMDEX_ASSIGN_OR_RETURN(result.plans, group_by([](const ProfileQuery& query) {
                           return QueryGroup{query.plan, {}, 0, {}};
                         }));
  return absl::OkStatus();
}

}  // namespace pmdex
