// The JSON of `pmdex profile`, and reading it again for --diff. Thread-safe: no state.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "pmem/status.h"
#include "tools/json_writer.h"
#include "tools/profile/profile_result.h"

namespace pmdex {

// The result as one document on one line. The keys at the top are those of the first configuration;
// "configurations" has all of them. A metric that was not measured is absent.
std::string ProfileToJson(const ProfileResult& result);

// "metrics" and "inconsistent": each with what a reader needs, keys of the object that is open.
void WriteMetrics(const MetricSet& metrics, JsonWriter& json);
// "phases".
void WritePhases(const std::vector<PhaseShare>& phases, JsonWriter& json);
// "cpu", "table" (if there is one), "pmu" and "why_not".
void WriteCpuAndPmu(const CpuIdentity& cpu, std::string_view table, const PmuDiagnosis& pmu,
                    JsonWriter& json);

// What --diff needs of one configuration of a saved document.
struct SavedProfile {
  std::string path;
  std::string configuration;  // "pruned, 2 threads"
  std::string source;
  std::string cpu;
  struct Metric {
    double value = 0;
    std::string unit;
  };
  std::vector<std::string> order;  // the names of the metrics, as they stood in the file
  std::map<std::string, Metric> metrics;
  std::map<std::string, double> phases;  // the share of each
};

// The configurations of a document that ProfileToJson wrote, at least one. kInvalidArgument if it
// is something else.
absl::StatusOr<std::vector<SavedProfile>> ReadSavedProfiles(const std::string& path);

}  // namespace pmdex
