#include "tools/compare/counted_class.h"

#include "pmem/pmu_probe.h"
#include "tools/counters/perf_counters.h"
#include "tools/counters/pmu_diagnosis.h"
#include "tools/profile/profile_run.h"

namespace pmdex {

std::string WhyNoHardwareCounters() {
  const PmuDiagnosis pmu = Diagnose(ProbePmu(), FindPmuSurroundings());
  return pmu.cause == PmuCause::kNone ? "" : pmu.why;
}

absl::StatusOr<std::vector<CounterValue>> CountClass(const Searcher& searcher, const BoundSet& set,
                                                     const ConfigurationKey& key) {
  const bool has_pmu = WhyNoHardwareCounters().empty();
  const EventTable& table = has_pmu ? TableOf(ThisCpu()) : SoftwareTable();
  ProfileRunOptions options;
  options.exhaustive = key.mode == "exhaustive";
  options.threads = static_cast<size_t>(key.threads);
  options.passes = 1;
  options.sample_rate_hz = 0;
  std::vector<ProfileQuery> queries;
  for (const std::string& query : set.queries) queries.push_back({query, set.name, "", 0});
  PerfCounterSource source;
  PMDEX_ASSIGN_OR_RETURN(const ProfiledConfiguration profiled,
                         ProfileQueries(searcher, queries, table, source, options));
  std::vector<CounterValue> counters;
  for (const MetricValue& metric : profiled.metrics.values) {
    counters.push_back({std::string(metric.row->name), metric.value, std::string(metric.row->unit),
                        std::string(metric.row->source)});
  }
  return counters;
}

}  // namespace pmdex
