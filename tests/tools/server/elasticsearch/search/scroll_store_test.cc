#include "tools/server/elasticsearch/search/scroll_store.h"

#include <chrono>
#include <set>
#include <string>

#include "gtest/gtest.h"

namespace pmdex {
namespace scroll_store_test {

using std::chrono::seconds;

SearchRun EmptyRun() {
  AnalyzerPools analyzers;
  return *SearchRun::Open({}, {}, analyzers, {});
}

TEST(ScrollStore, ForgetsScrollsThatExpire) {
  ScrollStore store(10);
  const ScrollStore::Clock::time_point begin{};
  const std::string id = *store.Add(EmptyRun(), seconds(60), begin);
  EXPECT_NE(store.Find(id, std::nullopt, begin + seconds(59)), nullptr);
  EXPECT_NE(store.Find(id, std::nullopt, begin + seconds(118)), nullptr);
  EXPECT_NE(store.Find(id, seconds(5), begin + seconds(119)), nullptr);
  EXPECT_EQ(store.Find(id, std::nullopt, begin + seconds(124)), nullptr);
  EXPECT_EQ(store.size(), 0u);
}

TEST(ScrollStore, RefusesMoreThanItMayKeepUntilOneExpires) {
  ScrollStore store(3);
  const ScrollStore::Clock::time_point begin{};
  std::set<std::string> ids;
  for (int i = 0; i < 3; ++i) ids.insert(*store.Add(EmptyRun(), seconds(10 + i), begin));
  EXPECT_EQ(ids.size(), 3u);
  EXPECT_FALSE(store.Add(EmptyRun(), seconds(10), begin).ok());
  EXPECT_TRUE(store.Add(EmptyRun(), seconds(10), begin + seconds(10)).ok());
  EXPECT_EQ(store.Remove({*ids.begin(), "none"}) + store.RemoveAll(), 3u);
}

}  // namespace scroll_store_test
}  // namespace pmdex
