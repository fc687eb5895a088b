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
// "cpu", "table", "pmu" and "why_not".
void WriteCpuAndPmu(const CpuIdentity& cpu, std::string_view table, const PmuDiagnosis& pmu,
                    JsonWriter& json);

// What --diff needs of a saved document.
struct SavedProfile {
  std::string path;
  std::string source;
  std::string cpu;
  struct Metric {
    double value = 0;
    std::string unit;
  };
  std::vector<std::string> order;         // the names of the metrics, as they stood in the file
  std::map<std::string, Metric> metrics;  // of the first configuration
  std::map<std::string, double> phases;   // the share of each, of the first configuration
};

// Reads a document that ProfileToJson wrote. kInvalidArgument if it is something else.
absl::StatusOr<SavedProfile> ReadSavedProfile(const std::string& path);

}  // namespace pmdex
