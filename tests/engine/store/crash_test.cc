// Crashes the publish protocol and recovery at every operation, on simulated media of every kind.
// tests/README.md says how to run more of these tests by hand.
#include <gtest/gtest.h>

#include <iostream>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"

#include "tests/support/crash_explorer.h"
#include "tests/support/effort.h"
#include "tests/support/store_workload.h"

namespace pmdex {
namespace crash_test {

constexpr uint64_t kStatesOfEveryRun = kIsSanitized ? 100 : 5000;
constexpr uint64_t kStride = kIsSanitized ? 16 : 1;

std::vector<MediumOptions> AllMedia() {
  std::vector<MediumOptions> media;
  for (const auto mode : {PersistenceMode::kAdr, PersistenceMode::kEadr, PersistenceMode::kPage}) {
    for (const auto order : {DirectoryOrder::kJournaled, DirectoryOrder::kUnordered}) {
      media.push_back({mode, order});
    }
  }
  return media;
}

TEST(Crash, LosesNoAcknowledgedGenerationAndShowsNoOther) {
  const uint64_t first_seed = FromEnvironment("PMDEX_CRASH_SEED", 1);
  const uint64_t wanted = FromEnvironment("PMDEX_CRASH_STATES", kStatesOfEveryRun);
  const int random_settlements = wanted > kStatesOfEveryRun ? 100 : 4;
  absl::flat_hash_set<uint64_t> distinct_states;
  CrashReport total;
  for (uint64_t seed = first_seed; distinct_states.size() < wanted && total.bad_states == 0;
       ++seed) {
    const StoreWorkload workload(seed);
    KnownStates known_states;
    for (const MediumOptions& medium : AllMedia()) {
      CrashExplorer explorer(workload, {.medium = medium,
                                        .seed = seed,
                                        .random_settlements = random_settlements,
                                        .stride = kStride,
                                        .distinct_states = &distinct_states,
                                        .known_states = &known_states});
      total.Add(explorer.Explore());
      if (kIsSanitized) break;
    }
  }
  std::cout << total.points << " crash points, " << total.recovery_points
            << " more during recoveries, " << total.states << " states, " << total.distinct_states
            << " of them distinct, " << total.bad_states << " bad" << std::endl;
  RecordProperty("distinct_states", std::to_string(total.distinct_states));
  RecordProperty("bad_states", std::to_string(total.bad_states));
  EXPECT_EQ(total.bad_states, 0u) << total.first_bad << "\nagain: set PMDEX_CRASH_SEED to that "
                                  << "seed and PMDEX_CRASH_STATES to " << wanted;
  EXPECT_TRUE(total.bad_states > 0 || distinct_states.size() >= wanted);
}

TEST(Crash, AcknowledgesNothingOnceThePowerIsCut) {
  const uint64_t seed = FromEnvironment("PMDEX_CRASH_SEED", 1);
  const StoreWorkload workload(seed);
  KnownStates known_states;
  for (const auto mode : {PersistenceMode::kAdr, PersistenceMode::kPage}) {
    CrashExplorer explorer(
        workload,
        {.medium = {.mode = mode}, .seed = seed, .stride = kStride, .known_states = &known_states});
    const CrashReport report = explorer.ExploreRuns();
    EXPECT_EQ(report.bad_states, 0u) << report.first_bad;
    EXPECT_GT(report.points, 200u / kStride);
  }
}

TEST(Crash, ASeedRepeatsItsRun) {
  std::vector<CrashReport> reports;
  for (int run = 0; run < 2; ++run) {
    const StoreWorkload workload(7);
    CrashExplorer explorer(workload, {.medium = {},
                                      .mutation = ProtocolMutation::kNoDrainOfManifests,
                                      .seed = 7,
                                      .stop_at_first = true});
    reports.push_back(explorer.Explore());
  }
  EXPECT_EQ(reports[0].bad_states, 1u);
  EXPECT_EQ(reports[0].first_bad, reports[1].first_bad);
  EXPECT_EQ(reports[0].states, reports[1].states);
}

}  // namespace crash_test
}  // namespace pmdex
