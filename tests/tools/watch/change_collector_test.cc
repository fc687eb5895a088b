#include "tools/watch/change_collector.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

#include "absl/strings/str_cat.h"

namespace pmdex {
namespace change_collector_test {

using std::chrono::milliseconds;
using TimePoint = DueChange::TimePoint;

TimePoint At(int ms) {
  return TimePoint() + milliseconds(1000 + ms);
}

CollectorOptions SomeOptions() {
  return {milliseconds(10), milliseconds(50), 1000};
}

TreeChange Written(const std::string& path) {
  return {ChangeKind::kWritten, path, {}};
}

TEST(ChangeCollector, APathIsDueWhenItHasBeenQuiet) {
  ChangeCollector collector(SomeOptions(), {"tree"});
  EXPECT_EQ(collector.NextDue(), std::nullopt);
  collector.Add(Written("tree/a"), At(0));
  EXPECT_EQ(collector.NextDue(), At(10));
  EXPECT_TRUE(collector.TakeDue(At(9)).empty());
  const auto due = collector.TakeDue(At(10));
  ASSERT_EQ(due.size(), 1u);
  EXPECT_EQ(due[0].path, "tree/a");
  EXPECT_TRUE(due[0].is_written);
  EXPECT_FALSE(due[0].is_rescan);
  EXPECT_EQ(due[0].since, At(0));
  EXPECT_EQ(collector.size(), 0u);
}

TEST(ChangeCollector, APathThatChangesAllTheTimeIsDueOnceForEachLongestDelay) {
  ChangeCollector collector(SomeOptions(), {"tree"});
  int taken = 0;
  for (int ms = 0; ms < 500; ++ms) {
    collector.Add(Written("tree/a"), At(ms));
    for (const DueChange& due : collector.TakeDue(At(ms))) {
      EXPECT_EQ(At(ms) - due.since, milliseconds(50));
      ++taken;
    }
  }
  EXPECT_EQ(taken, 9);  // at 50, 101, 152, ...
}

TEST(ChangeCollector, WhatIsKnownOfAPathAddsUp) {
  ChangeCollector collector(SomeOptions(), {"tree"});
  collector.Add(Written("tree/a"), At(0));
  collector.Add({ChangeKind::kRemoved, "tree/a", {}}, At(1));
  collector.Add({ChangeKind::kRescan, "tree/a", {}}, At(2));
  const auto due = collector.TakeAll();
  ASSERT_EQ(due.size(), 1u);
  EXPECT_TRUE(due[0].is_written);
  EXPECT_TRUE(due[0].is_rescan);
  EXPECT_EQ(due[0].since, At(0));
}

TEST(ChangeCollector, ARenameConcernsBothPaths) {
  ChangeCollector collector(SomeOptions(), {"tree"});
  collector.Add({ChangeKind::kRenamed, "tree/new", "tree/old"}, At(0));
  std::map<std::string, bool> written;
  for (const DueChange& due : collector.TakeAll()) written[due.path] = due.is_written;
  EXPECT_EQ(written, (std::map<std::string, bool>{{"tree/new", false}, {"tree/old", false}}));
}

TEST(ChangeCollector, TooManyPathsBecomeAScanOfTheRoots) {
  CollectorOptions options = SomeOptions();
  options.most_paths = 10;
  ChangeCollector collector(options, {"a", "b"});
  for (int i = 0; i < 11; ++i) collector.Add(Written(absl::StrCat("a/", i)), At(i));
  EXPECT_EQ(collector.overflows(), 1u);
  collector.Add(Written("a/later"), At(20));
  std::map<std::string, DueChange> due;
  for (DueChange& change : collector.TakeAll()) due[change.path] = change;
  ASSERT_EQ(due.size(), 3u);
  for (const char* root : {"a", "b"}) {
    EXPECT_TRUE(due[root].is_rescan);
    EXPECT_EQ(due[root].since, At(0));  // as old as the first change that was forgotten
  }
  EXPECT_TRUE(due["a/later"].is_written);
}

// Whatever the order: every path comes out, not before it may and not after it must.
TEST(ChangeCollector, RandomChangesComeOutInTime) {
  std::mt19937 random(7);
  ChangeCollector collector(SomeOptions(), {"tree"});
  std::map<std::string, std::pair<int, int>> model;  // first, last
  for (int ms = 0; ms < 3000; ++ms) {
    for (uint32_t i = random() % 4; i > 0; --i) {
      const std::string path = absl::StrCat("tree/", random() % 40);
      collector.Add(Written(path), At(ms));
      model.try_emplace(path, ms, ms).first->second.second = ms;
    }
    if (random() % 3 == 0) continue;
    for (const DueChange& due : collector.TakeDue(At(ms))) {
      const auto [first, last] = model.at(due.path);
      EXPECT_TRUE(ms >= last + 10 || ms >= first + 50) << due.path;
      EXPECT_EQ(due.since, At(first));
      model.erase(due.path);
    }
    for (const auto& [path, times] : model) {
      EXPECT_TRUE(ms < times.second + 10 && ms < times.first + 50) << path;
    }
  }
  EXPECT_EQ(collector.TakeAll().size(), model.size());
}

}  // namespace change_collector_test
}  // namespace pmdex
