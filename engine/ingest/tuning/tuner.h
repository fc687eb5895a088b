// `pmdex index --tune`: builds a sample of the input with a few values of each parameter, and keeps
// a value if it is clearly faster than the default.
//
// The tuner takes one parameter after the other and keeps what it has chosen before. It measures
// the values of a parameter in turn (A B C A B C), because a machine may be faster in one minute
// than in the next, and compares medians. It measures a gain once more before it accepts it. A
// value must be more than 5 % faster than the default, and each of its runs faster than every run
// of the default; otherwise the difference counts as noise.
//
// The caller provides the measurement and the clock, so that tests can decide both. Not
// thread-safe.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "engine/ingest/ingest_options.h"
#include "engine/ingest/tuning/tuning_sample.h"
#include "pmem/status.h"

namespace pmdex {

// The property of a manifest that keeps how its tuning was found.
inline constexpr char kTuningEvidenceProperty[] = "tuning_evidence";

struct TunerSetup {
  int cpus = 1;
  // True if the user gave the number of indexers, so that it is not tuned. The other parameters are
  // not tuned if the options do not have their default.
  bool indexers_given = false;
  double budget_seconds = 20;
  // Builds the sample with these options and returns MiB of input per second.
  std::function<absl::StatusOr<double>(const IngestOptions&)> measure;
  std::function<double()> now;  // seconds, monotonic
};

struct MeasuredValue {
  std::string parameter;  // "block size"
  std::string value;      // "1MiB"
  double mib_per_second = 0;
  int runs = 0;
  bool chosen = false;  // true for one value of each parameter
};

struct TuningResult {
  IngestOptions options;  // with the values that were chosen
  std::vector<MeasuredValue> measured;
  double seconds = 0;
  bool in_time = true;  // false if the budget ended before the last parameter
};

// Returns the first error of a measurement.
absl::StatusOr<TuningResult> Tune(const IngestOptions& options, const TunerSetup& setup);

struct TuningSample;
// The result as one line for the manifest: the sample, the machine, and each value with its rate.
std::string DescribeEvidence(const TuningResult& result, const TuningSample& sample, int cpus,
                             size_t nodes);

}  // namespace pmdex
