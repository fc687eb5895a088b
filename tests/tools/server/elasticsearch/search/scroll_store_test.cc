#include "tools/server/elasticsearch/search/scroll_store.h"

#include <chrono>
#include <set>
#include <string>

#include "gtest/gtest.h"

namespace pmdex {
namespace scroll_store_test {

using std::chrono::seconds;

constexpr ScrollStore::User kAnyUser = std::nullopt;

SearchRun EmptyRun() {
  AnalyzerPools analyzers;
  return *SearchRun::Open({}, {}, analyzers, {});
}

TEST(ScrollStore, ForgetsScrollsThatExpire) {
  ScrollStore store({10, 10});
  const ScrollStore::Clock::time_point begin{};
  const std::string id = *store.Add(EmptyRun(), kAnyUser, seconds(60), begin);
  EXPECT_NE(store.Find(id, kAnyUser, std::nullopt, begin + seconds(59)), nullptr);
  EXPECT_NE(store.Find(id, kAnyUser, std::nullopt, begin + seconds(118)), nullptr);
  EXPECT_NE(store.Find(id, kAnyUser, seconds(5), begin + seconds(119)), nullptr);
  EXPECT_EQ(store.Find(id, kAnyUser, std::nullopt, begin + seconds(124)), nullptr);
  EXPECT_EQ(store.size(), 0u);
}

TEST(ScrollStore, RefusesMoreThanItMayKeepUntilOneExpires) {
  ScrollStore store({3, 3});
  const ScrollStore::Clock::time_point begin{};
  std::set<std::string> ids;
  for (int i = 0; i < 3; ++i) ids.insert(*store.Add(EmptyRun(), kAnyUser, seconds(10 + i), begin));
  EXPECT_EQ(ids.size(), 3u);
  EXPECT_FALSE(store.Add(EmptyRun(), kAnyUser, seconds(10), begin).ok());
  EXPECT_TRUE(store.Add(EmptyRun(), kAnyUser, seconds(10), begin + seconds(10)).ok());
  EXPECT_EQ(store.Remove({*ids.begin(), "none"}, kAnyUser) + store.RemoveAll(kAnyUser), 3u);
}

TEST(ScrollStore, ShowsAScrollToItsUserAndToWhoMaySeeEverything) {
  ScrollStore store({10, 10});
  const ScrollStore::Clock::time_point begin{};
  const std::string of_one = *store.Add(EmptyRun(), 1, seconds(60), begin);
  const std::string of_nobody = *store.Add(EmptyRun(), kAnyUser, seconds(60), begin);
  EXPECT_NE(store.Find(of_one, 1, std::nullopt, begin), nullptr);
  EXPECT_NE(store.Find(of_one, kAnyUser, std::nullopt, begin), nullptr);
  EXPECT_EQ(store.Find(of_one, 2, std::nullopt, begin), nullptr);
  EXPECT_EQ(store.Find(of_nobody, 1, std::nullopt, begin), nullptr);
  EXPECT_EQ(store.Remove({of_one, of_nobody}, 2) + store.RemoveAll(2), 0u);
  EXPECT_EQ(store.RemoveAll(1), 1u);
  EXPECT_EQ(store.Remove({of_one, of_nobody}, kAnyUser), 1u);
}

TEST(ScrollStore, LeavesScrollsForOthersWhereOneUserHasMany) {
  ScrollStore store({10, 2});
  const ScrollStore::Clock::time_point begin{};
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(store.Add(EmptyRun(), 1, seconds(60), begin).ok());
  const auto refused = store.Add(EmptyRun(), 1, seconds(60), begin);
  EXPECT_NE(refused.status().message().find("equal to: [2]"), std::string::npos);
  EXPECT_TRUE(store.Add(EmptyRun(), 2, seconds(60), begin).ok());
  for (int i = 0; i < 7; ++i) EXPECT_TRUE(store.Add(EmptyRun(), kAnyUser, seconds(60), begin).ok());
  EXPECT_FALSE(store.Add(EmptyRun(), 2, seconds(60), begin).ok());
}

}  // namespace scroll_store_test
}  // namespace pmdex
