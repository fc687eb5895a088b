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

// How the same fault of other queries begins: up to the name of the events' group and with it, or
// up to the first number.
std::string_view SubjectOf(std::string_view fault) {
  const size_t at = fault.find_first_of("'0123456789");
  const bool is_name = at != std::string_view::npos && fault[at] == '\'';
  return fault.substr(0, is_name ? fault.find('\'', at + 1) : at);
}

// What is wrong with the counts of some of the queries beside what is wrong with those of all.
std::vector<std::string> NotesOfGroup(const EventTable& table, const CounterTotals& totals,
                                      const MetricSet& metrics,
                                      const std::vector<std::string>& of_all) {
  std::vector<std::string> notes = DoubtsOf(table, metrics);
  for (std::string& fault : CountingFaults(table, totals)) notes.push_back(std::move(fault));
  std::erase_if(notes, [&](const std::string& note) {
    return std::any_of(of_all.begin(), of_all.end(), [&](const std::string& known) {
      return SubjectOf(known) == SubjectOf(note);
    });
  });
  return notes;
}

// Groups queries by `key` and computes the metrics of each group, by rising key. of_all: what is
// wrong with the counts of all queries.
absl::StatusOr<std::vector<QueryGroup>> GroupQueries(
    const EventTable& table, const std::vector<ProfileQuery>& queries,
    const std::vector<QueryCounts>& counts, double read_ns, const std::vector<std::string>& of_all,
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
    group.notes = NotesOfGroup(table, sum, group.metrics, of_all);
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
  std::vector<std::string> wrong = DoubtsOf(table, result.metrics);
  const std::vector<bool> broken = BrokenGroups(table, totals);
  result.has_broken_groups = std::find(broken.begin(), broken.end(), true) != broken.end();
  for (std::string& fault : CountingFaults(table, totals)) wrong.push_back(std::move(fault));
  result.notes.insert(result.notes.end(), wrong.begin(), wrong.end());
  const auto group_by = [&](const std::function<QueryGroup(const ProfileQuery&)>& key) {
    return GroupQueries(table, queries, counts, result.read_ns, wrong, key);
  };
  PMDEX_ASSIGN_OR_RETURN(result.buckets, group_by(ByRange));
  PMDEX_ASSIGN_OR_RETURN(result.classes, group_by([](const ProfileQuery& query) {
                           return ByName(query.query_class);
                         }));
  PMDEX_ASSIGN_OR_RETURN(result.plans,
                         group_by([](const ProfileQuery& query) { return ByName(query.plan); }));
  return absl::OkStatus();
}

}  // namespace pmdex
