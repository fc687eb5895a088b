#include "engine/ingest/pipeline/stage_report.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "absl/strings/str_format.h"

#include "pmem/text.h"

namespace pmdex {
namespace {

constexpr double kTooShortSeconds = 0.1;
// Two stages that are busy for as long, or nearly, hold each other up in turn.
constexpr double kBalancedRatio = 0.9;

double Share(double part, double whole) {
  return whole > 0 ? std::clamp(part / whole, 0.0, 1.0) : 0;
}

int Percent(double share) {
  return static_cast<int>(std::lround(share * 100));
}

// Of the time that the stage's threads would have had until the end of the run.
double Utilisation(const StageReport& stage, double seconds) {
  return Share(stage.busy_seconds(), seconds * std::max(stage.threads, 1));
}

struct Candidate {
  std::string_view name;     // "indexer"
  std::string_view threads;  // "indexers"
  double utilisation = 0;
  std::string_view neighbour;  // who waits for it: "readers"
  double waited = 0;           // share of the neighbour's time
};

double InputWait(const StageReport& stage) {
  return Share(stage.input_wait_seconds, stage.lifetime_seconds);
}

double OutputWait(const StageReport& stage) {
  return Share(stage.output_wait_seconds, stage.lifetime_seconds);
}

}  // namespace

double StageReport::busy_seconds() const {
  return std::max(0.0, lifetime_seconds - input_wait_seconds - output_wait_seconds);
}

double StageReport::mib_per_second() const {
  const double busy = busy_seconds();
  return busy > 0 ? static_cast<double>(bytes) / (1 << 20) / busy * threads : 0;
}

std::string DescribeBottleneck(const PipelineReport& report) {
  if (report.seconds < kTooShortSeconds) {
    return absl::StrFormat("too short to tell: %.3f s", report.seconds);
  }
  const double seconds = report.seconds;
  // Publishing is what writers do besides.
  const double published = report.publish.busy_seconds();
  const double written =
      Share(report.write.busy_seconds() + published, seconds * std::max(report.write.threads, 1));
  const bool publishes = published > report.write.busy_seconds();
  Candidate stages[] = {
      {"walk", "walk", Utilisation(report.walk, seconds), "readers", InputWait(report.read)},
      {"reader", "readers", Utilisation(report.read, seconds), "indexers", InputWait(report.index)},
      {"indexer", "indexers", Utilisation(report.index, seconds), "readers",
       OutputWait(report.read)},
      {publishes ? "publish" : "writer", "writers", written, "indexers", OutputWait(report.index)},
  };
  std::stable_sort(
      std::begin(stages), std::end(stages),
      [](const Candidate& a, const Candidate& b) { return a.utilisation > b.utilisation; });
  const Candidate& most = stages[0];
  const Candidate& next = stages[1];
  if (next.utilisation >= most.utilisation * kBalancedRatio) {
    return absl::StrFormat("balanced: %s busy %d %%, %s busy %d %%", ToAbsl(most.threads),
                           Percent(most.utilisation), ToAbsl(next.threads),
                           Percent(next.utilisation));
  }
  return absl::StrFormat("%s-bound: %s waited %d %%", ToAbsl(most.name), ToAbsl(most.neighbour),
                         Percent(most.waited));
}

}  // namespace pmdex
