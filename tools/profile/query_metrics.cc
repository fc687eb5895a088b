#include "tools/profile/query_metrics.h"

#include <algorithm>
#include <functional>
#include <optional>
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

// Adds up what the reads of some queries cost.
class ReadCosts {
 public:
  void Add(const QueryCounts& query) {
    if (query.repeats == 0) return;
    fewest_ = queries_ == 0 ? query.repeats : std::min(fewest_, query.repeats);
    most_ = std::max(most_, query.repeats);
    between_ns_ += static_cast<double>(query.repeats) * query.wall_ns;
    ++queries_;
  }
  std::optional<CounterReads> Of(double read_ns) const {
    if (read_ns == 0 || between_ns_ == 0) return std::nullopt;
    return CounterReads{read_ns, fewest_, most_,
                        2 * read_ns * static_cast<double>(queries_) / between_ns_};
  }

 private:
  uint64_t queries_ = 0;
  uint64_t fewest_ = 0;
  uint64_t most_ = 0;
  double between_ns_ = 0;
};

// Groups queries by `key` and computes the metrics of each group, by rising key.
absl::StatusOr<std::vector<QueryGroup>> GroupQueries(
    const EventTable& table, const std::vector<ProfileQuery>& queries,
    const std::vector<QueryCounts>& counts, double read_ns,
    const std::function<QueryGroup(const ProfileQuery&)>& key) {
  using Key = std::tuple<PostingRange, std::string>;
  std::map<Key, CounterTotals> totals;
  std::map<Key, ReadCosts> reads;
  for (size_t i = 0; i < queries.size(); ++i) {
    const QueryGroup group = key(queries[i]);
    AddCounts(counts[i], totals[{group.range, group.name}]);
    reads[{group.range, group.name}].Add(counts[i]);
  }
  std::vector<QueryGroup> groups;
  for (const auto& [at, sum] : totals) {
    QueryGroup& group = groups.emplace_back();
    std::tie(group.range, group.name) = at;
    group.queries = sum.queries;
    group.reads = reads[at].Of(read_ns);
    PMDEX_ASSIGN_OR_RETURN(group.metrics, ComputeMetrics(table, sum));
  }
  return groups;
}

QueryGroup ByRange(const ProfileQuery& query) {
  QueryGroup group;
  group.range = RangeOfPostings(query.postings);
  return group;
}

QueryGroup ByName(const std::string& name) {
  QueryGroup group;
  group.name = name;
  return group;
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

absl::StatusOr<std::vector<QueryGroup>> MetricsOfEachQuery(const EventTable& table,
                                                           const std::vector<ProfileQuery>& queries,
                                                           const std::vector<QueryCounts>& counts,
                                                           double read_ns) {
  std::vector<QueryGroup> groups;
  for (size_t i = 0; i < queries.size(); ++i) {
    CounterTotals totals;
    ReadCosts reads;
    AddCounts(counts[i], totals);
    reads.Add(counts[i]);
    QueryGroup& group = groups.emplace_back(ByRange(queries[i]));
    group.name = queries[i].text;
    group.queries = 1;
    group.reads = reads.Of(read_ns);
    PMDEX_ASSIGN_OR_RETURN(group.metrics, ComputeMetrics(table, totals));
  }
  return groups;
}

absl::Status SetMetrics(const EventTable& table, const std::vector<ProfileQuery>& queries,
                        const std::vector<QueryCounts>& counts,
                        const std::map<std::string, double>& others,
                        ProfiledConfiguration& result) {
  CounterTotals totals;
  ReadCosts reads;
  for (const QueryCounts& query : counts) {
    AddCounts(query, totals);
    reads.Add(query);
  }
  result.reads = reads.Of(result.read_ns);
  result.counts = CountsByEvent(table, totals);
  totals.others.insert(others.begin(), others.end());
  PMDEX_ASSIGN_OR_RETURN(result.metrics, ComputeMetrics(table, totals));
  for (std::string& doubt : DoubtsOf(table, result.metrics)) {
    result.notes.push_back(std::move(doubt));
  }
  const std::vector<bool> broken = BrokenGroups(table, totals);
  result.has_broken_groups = std::find(broken.begin(), broken.end(), true) != broken.end();
  for (std::string& fault : CountingFaults(table, totals)) result.notes.push_back(std::move(fault));
  PMDEX_ASSIGN_OR_RETURN(result.buckets,
                         GroupQueries(table, queries, counts, result.read_ns, ByRange));
  PMDEX_ASSIGN_OR_RETURN(result.classes, GroupQueries(table, queries, counts, result.read_ns,
                                                      [](const ProfileQuery& query) {
                                                        return ByName(query.query_class);
                                                      }));
  PMDEX_ASSIGN_OR_RETURN(
      result.plans, GroupQueries(table, queries, counts, result.read_ns,
                                 [](const ProfileQuery& query) { return ByName(query.plan); }));
  return absl::OkStatus();
}

}  // namespace pmdex
