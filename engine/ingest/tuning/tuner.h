// `pmdex index --tune`: measures a sample of the input under a few values of each parameter, and
// keeps a value that is clearly faster than the default.
//
// One parameter after the other, each on top of what was chosen before. The values of a parameter
// are measured in turn (A B C A B C), because a machine is faster in one minute than in the next;
// the median counts, and a gain is measured once more before it is believed. What is not more than
// 5 % faster, or not faster in each of its runs than the default in any, is noise: the default
// stays.
//
// What is measured and the clock come from outside, so that tests decide them. Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/ingest/ingest_options.h"
#include "pmem/status.h"

namespace pmdex {

// The property of a manifest that keeps how its tuning was found.
inline constexpr char kTuningEvidenceProperty[] = "tuning_evidence";

struct TunerSetup {
  int cpus = 1;
  bool indexers_given = false;  // by the user: not to be tuned. The others say so by not being 0.
  double budget_seconds = 20;
  // Builds the sample with these options; MiB of input a second.
  std::function<absl::StatusOr<double>(const IngestOptions&)> measure;
  std::function<double()> now;  // seconds, monotonic
};

struct MeasuredValue {
  std::string parameter;  // "block size"
  std::string value;      // "1MiB"
  double mib_per_second = 0;
  int runs = 0;
  bool chosen = false;  // one value of each parameter
};

struct TuningResult {
  IngestOptions options;  // with what was chosen
  std::vector<MeasuredValue> measured;
  double seconds = 0;
  bool in_time = true;  // false: the budget ended before the last parameter
};

// An error of a measurement ends it.
absl::StatusOr<TuningResult> Tune(const IngestOptions& options, const TunerSetup& setup);

struct TuningSample;
// The result in one line, for the manifest: the sample, the machine, each value with its rate.
std::string DescribeEvidence(const TuningResult& result, const TuningSample& sample, int cpus,
                             size_t nodes);

}  // namespace pmdex
