#include "tools/compare/counters/counted_class.h"

#include "absl/strings/str_cat.h"

#include "tools/profile/profile_run.h"

namespace pmdex {
namespace {

std::vector<CounterValue> ValuesOf(const MetricSet& metrics) {
  std::vector<CounterValue> values;
  for (const MetricValue& metric : metrics.values) {
    values.push_back({std::string(metric.row->name), metric.value, std::string(metric.row->unit),
                      std::string(metric.row->source)});
  }
  return values;
}

}  // namespace

absl::StatusOr<ClassCounts> CountClass(const Searcher& searcher, const BoundSet& set,
                                       const ConfigurationKey& key, const std::vector<int>& cpus,
                                       const ProfileMachine& machine) {
  ProfileRunOptions options;
  options.exhaustive = key.mode == "exhaustive";
  options.threads = static_cast<size_t>(key.threads);
  options.passes = 1;
  options.sample_rate_hz = 0;
  options.cpus = cpus;
  std::vector<ProfileQuery> queries;
  for (size_t i = 0; i < set.queries.size(); ++i) {
    queries.push_back({set.queries[i], set.name, "", set.postings[i]});
  }
  const EventTable table = TableOf(machine);  // the metrics point into it
  PMDEX_ASSIGN_OR_RETURN(const ProfiledConfiguration profiled,
                         ProfileQueries(searcher, queries, table, *machine.source, options));
  ClassCounts counts;
  counts.counters = ValuesOf(profiled.metrics);
  for (const QueryGroup& bucket : profiled.buckets) {
    const MetricValue* instructions = bucket.metrics.Find("instructions_per_query");
    if (instructions != nullptr) counts.instructions[bucket.range.from] = instructions->value;
  }
  for (const std::string& note : profiled.notes) {
    counts.notes.push_back(absl::StrCat(set.name, ": ", note));
  }
  for (const InconsistentMetric& metric : profiled.metrics.inconsistent) {
    counts.notes.push_back(absl::StrCat(set.name, ": ", metric.name, " is left out: ", metric.why));
  }
  return counts;
}

void SetCounts(const ClassCounts& counts, ComparedClass& one) {
  one.counters = counts.counters;
  for (PostingBucket& bucket : one.by_postings) {
    const auto found = counts.instructions.find(bucket.from);
    if (found != counts.instructions.end()) bucket.instructions = found->second;
  }
}

}  // namespace pmdex
