#include "tools/profile/profile_diff.h"

#include <map>
#include <string>

#include "gtest/gtest.h"

namespace pmdex {
namespace profile_diff_test {

SavedProfile ProfileWith(const std::map<std::string, double>& shares) {
  SavedProfile profile;
  profile.source = "hardware";
  profile.metrics["cycles_per_query"] = {1000, "per query"};
  for (const auto& [name, value] : shares) profile.metrics[name] = {value, "share"};
  return profile;
}

// The change of each node, by name.
std::map<std::string, double> ChangesOf(const SavedProfile& before, const SavedProfile& after) {
  std::map<std::string, double> changes;
  for (const NodeChange& change : ExplainDifference(before, after)) {
    changes[change.node] = change.after - change.before;
  }
  return changes;
}

TEST(ProfileDiff, KeepsWhatTheMeasuredLevelsLeaveOfMemoryBound) {
  const SavedProfile before = ProfileWith({{"backend_bound", 0.5},
                                           {"memory_bound", 0.3},
                                           {"core_bound", 0.2},
                                           {"l1_bound", 0.1},
                                           {"l3_bound", 0.05},
                                           {"store_bound", 0.05}});
  SavedProfile after = before;
  after.metrics["backend_bound"].value = 0.8;
  after.metrics["memory_bound"].value = 0.6;
  after.metrics["l1_bound"].value = 0.12;
  const auto changes = ChangesOf(before, after);
  EXPECT_NEAR(changes.at("other memory bound"), 280, 1e-9);
  EXPECT_NEAR(changes.at("l1_bound"), 20, 1e-9);
  EXPECT_FALSE(changes.contains("memory_bound"));
  EXPECT_EQ(ExplainDifference(before, after)[0].node, "other memory bound");
  EXPECT_NE(DifferenceInWords(before, after).find("The node other memory bound changed most"),
            std::string::npos);
}

TEST(ProfileDiff, KeepsANodeOfLevel1WhosePartsWereNotMeasured) {
  const SavedProfile before = ProfileWith({{"retiring", 0.5}, {"backend_bound", 0.3}});
  SavedProfile after = ProfileWith({{"retiring", 0.3}, {"backend_bound", 0.5}});
  EXPECT_NEAR(ChangesOf(before, after).at("backend_bound"), 200, 1e-9);
  // A part that only one profile has is a part of the rest.
  after.metrics["memory_bound"] = {0.4, "share"};
  EXPECT_NEAR(ChangesOf(before, after).at("backend_bound"), 200, 1e-9);
}

TEST(ProfileDiff, HasNoRestWherePartsAddUpOrAreMore) {
  const SavedProfile before = ProfileWith({{"retiring", 0.5},
                                           {"light_operations", 0.4},
                                           {"heavy_operations", 0.1},
                                           {"memory_bound", 0.2},
                                           {"l1_bound", 0.15},
                                           {"dram_bound", 0.15}});
  const auto changes = ChangesOf(before, before);
  EXPECT_EQ(changes.size(), 4u);
  EXPECT_FALSE(changes.contains("other retiring"));
  EXPECT_FALSE(changes.contains("other memory bound"));
}

TEST(ProfileDiff, TellsThePhaseWhereThereAreNoCounters) {
  SavedProfile before;
  before.source = "software";
  before.metrics = {{"task_clock_us", {100, "us"}}, {"time_us", {100, "us"}}};
  before.phases = {{"scoring", 0.5}, {"bounds", 0.5}};
  SavedProfile after = before;
  after.metrics["task_clock_us"].value = 200;
  after.phases = {{"scoring", 0.2}, {"bounds", 0.7}, {"positions", 0.1}};
  const auto changes = ExplainByPhase(before, after);
  ASSERT_EQ(changes.size(), 3u);
  EXPECT_EQ(changes[0].node, "bounds");
  EXPECT_DOUBLE_EQ(changes[0].after - changes[0].before, 90);
  EXPECT_NE(DifferenceInWords(before, after).find("the phase bounds changed most"),
            std::string::npos);
  EXPECT_EQ(PartsOfDifference(before, after).rows.size(), 3u);
  after.phases.clear();
  EXPECT_TRUE(PartsOfDifference(before, after).rows.empty());
}

}  // namespace profile_diff_test
}  // namespace pmdex
