#include "tools/compare/medium/medium_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"

#include "tools/report/report_files.h"

namespace pmdex {
namespace {

constexpr double kNsPerUs = 1000;

// Recalled from the papers named, not measured here.
MediumTimes Optane() {
  MediumTimes medium;
  medium.name = "optane";
  medium.unit_bytes = 256;
  medium.random_ns = 305;
  medium.buffered_ns = 169;
  medium.sequential_factor = 169.0 / 81.0;
  medium.least_line_ns = 64 / 39.4;
  medium.source =
      "Izraelevitz and others, \"Basic performance measurements of the Intel Optane DC persistent "
      "memory module\", 2019: random reads 305 ns, sequential ones 169 ns against 81 ns in DRAM, "
      "39.4 GB/s from six modules; units of 256 bytes: Yang and others, FAST 2020";
  return medium;
}

MediumTimes Cxl() {
  MediumTimes medium;
  medium.name = "cxl";
  medium.random_ns = 250;
  medium.sequential_factor = 1;
  medium.least_line_ns = 64 / 34.4;
  medium.source =
      "200 to 300 ns, and at most 32 GiB/s from one expander: SIGARCH blog on CXL memory; 140 to "
      "410 ns over four devices: Liu and others (Melody), ASPLOS 2025";
  return medium;
}

absl::StatusOr<MediumTimes> ReadMedium(const std::string& file) {
  PMDEX_ASSIGN_OR_RETURN(const std::string text, ReadReportFile(file, size_t{1} << 20));
  try {
    const auto json = nlohmann::json::parse(text);
    MediumTimes medium;
    medium.name = json.at("name");
    medium.unit_bytes = json.value("unit_bytes", uint64_t{64});
    medium.random_ns = json.at("random_ns");
    medium.buffered_ns = json.value("buffered_ns", medium.random_ns);
    medium.sequential_factor = json.value("sequential_factor", 1.0);
    medium.least_line_ns = json.value("least_line_ns", 0.0);
    medium.source = json.value("source", file);
    const bool is_sound = (medium.unit_bytes == 64 || medium.unit_bytes == 256) &&
                          medium.random_ns > 0 && medium.buffered_ns > 0 &&
                          medium.sequential_factor > 0 && medium.least_line_ns >= 0;
    if (is_sound) return medium;
    return InvalidArgument(
        absl::StrCat(file, ": unit_bytes must be 64 or 256, and times must be above 0"));
  } catch (const nlohmann::json::exception& error) {
    return InvalidArgument(absl::StrCat(file, ": no description of a medium: ", error.what()));
  }
}

// The time of a class in no cache is hot + f * random + sequential, in microseconds.
struct MediumParts {
  double random_us = 0;
  double sequential_us = 0;
};

MediumParts PartsOf(const SectionTouches& touches, const MediumTimes& medium, double line_ns) {
  MediumParts parts;
  parts.sequential_us = touches.of_64.sequential * line_ns / kNsPerUs;
  double units = touches.of_64.random;
  if (medium.unit_bytes == 256) units = std::min(units, touches.of_256.random);
  const double buffered = touches.of_64.random - units;
  parts.random_us = (units * medium.random_ns + buffered * medium.buffered_ns) / kNsPerUs;
  return parts;
}

// f of all classes but one, by which the sum of their times is met; nullopt without another class.
std::optional<double> FittedWithout(size_t left_out, const std::vector<ModelledClass>& classes,
                                    const std::vector<MediumParts>& parts) {
  double waited = 0;
  double random = 0;
  for (size_t i = 0; i < classes.size(); ++i) {
    if (i == left_out) continue;
    waited += classes[i].dropped_us - classes[i].hot_us - parts[i].sequential_us;
    random += parts[i].random_us;
  }
  if (random <= 0) return std::nullopt;
  return std::max(waited / random, 0.0);
}

}  // namespace

absl::StatusOr<MediumTimes> LoadMedium(const std::string& name_or_file) {
  if (name_or_file == "optane") return Optane();
  if (name_or_file == "cxl") return Cxl();
  return ReadMedium(name_or_file);
}

std::vector<ModelledTime> PredictTimes(const std::vector<ModelledClass>& classes,
                                       const MemoryTimes& dram, const MediumTimes& medium) {
  MediumTimes of_dram;
  of_dram.random_ns = dram.random_ns;
  std::vector<MediumParts> in_dram;
  for (const ModelledClass& one : classes) {
    in_dram.push_back(PartsOf(one.touches, of_dram, dram.sequential_line_ns));
  }
  const double line_ns =
      std::max(dram.sequential_line_ns * medium.sequential_factor, medium.least_line_ns);
  std::vector<ModelledTime> times(classes.size());
  for (size_t i = 0; i < classes.size(); ++i) {
    times[i].error = std::numeric_limits<double>::infinity();
    const std::optional<double> f = FittedWithout(i, classes, in_dram);
    if (!f.has_value() || classes[i].dropped_us <= 0) continue;
    const double predicted =
        classes[i].hot_us + *f * in_dram[i].random_us + in_dram[i].sequential_us;
    times[i].error = std::abs(predicted - classes[i].dropped_us) / classes[i].dropped_us;
    if (times[i].error > kMostModelError) continue;
    const MediumParts parts = PartsOf(classes[i].touches, medium, line_ns);
    times[i].uncached_us = classes[i].dropped_us + *f * (parts.random_us - in_dram[i].random_us) +
                           parts.sequential_us - in_dram[i].sequential_us;
    times[i].of_dram = *times[i].uncached_us / classes[i].dropped_us;
  }
  return times;
}

double PredictedMeanUs(const ModelledClass& one, double uncached_us, double mean_us) {
  const double span = one.dropped_us - one.hot_us;
  const double uncached_share = span <= 0 ? 1 : std::clamp((mean_us - one.hot_us) / span, 0.0, 1.0);
  return mean_us + uncached_share * (uncached_us - one.dropped_us);
}

}  // namespace pmdex
