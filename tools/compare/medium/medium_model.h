// Predicts the time of queries on another medium from what they touch. Thread-safe: no state.
//
// A query whose lines are in no cache takes
//     hot + f * (random units * random_ns + further random lines of units * buffered_ns)
//         + sequential lines * sequential_line_ns
// where hot is its time with all lines in the caches, and f the share of the latency of random
// touches that the CPU does not hide. f is fitted on DRAM. The model is checked for each class with
// the f of the other classes: the error is |predicted - measured| / measured in DRAM, with the
// lines of the query dropped from the caches before each run. A class with an error above 25 % gets
// no prediction. For the others, the difference of the model between the medium and DRAM is added
// to the time that was measured in DRAM.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pmem/status.h"
#include "tools/compare/medium/memory_probe.h"
#include "tools/compare/medium/touched_lines.h"

namespace pmdex {

inline constexpr double kMostModelError = 0.25;

// A medium, by the time of one touch.
struct MediumTimes {
  std::string name;
  uint64_t unit_bytes = 64;  // 64 or 256: what the medium reads at a random touch
  double random_ns = 0;      // of a random unit
  // Of a random line in a unit that the query has touched already: it comes from the buffer of the
  // medium. For units of 256 bytes only.
  double buffered_ns = 0;
  // Of 64 sequential bytes: this many times that of DRAM on this machine, and not less than
  // least_line_ns, which is the bandwidth.
  double sequential_factor = 1;
  double least_line_ns = 0;
  std::string source;
};

// "optane" or "cxl", or a JSON file with the members of MediumTimes.
absl::StatusOr<MediumTimes> LoadMedium(const std::string& name_or_file);

// What was measured of one class; means over the same queries.
struct ModelledClass {
  SectionTouches touches;
  double hot_us = 0;      // repeated at once: all lines are in the caches
  double dropped_us = 0;  // the lines of the query were dropped from the caches before each run
};

struct ModelledTime {
  double error = 0;                   // in DRAM
  std::optional<double> uncached_us;  // on the medium, with the lines in no cache
  std::optional<double> of_dram;      // uncached_us by the measured dropped_us
};

// One for each class. error is infinite, and nothing is predicted, if there is no other class to
// fit on.
std::vector<ModelledTime> PredictTimes(const std::vector<ModelledClass>& classes,
                                       const MemoryTimes& dram, const MediumTimes& medium);

// The predicted mean in place of a measured mean, which is between hot_us and dropped_us as far as
// the caches hold the index.
double PredictedMeanUs(const ModelledClass& one, double uncached_us, double mean_us);

}  // namespace pmdex
