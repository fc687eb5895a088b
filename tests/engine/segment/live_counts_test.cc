#include "engine/segment/live_counts.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <thread>
#include <vector>

namespace pmdex {
namespace live_counts_test {

constexpr uint64_t kSegment = 7;

TEST(LiveCounts, KeepTheLastCountOfAList) {
  LiveCounts counts;
  EXPECT_EQ(counts.Find(kSegment, 0), std::nullopt);
  counts.Keep(kSegment, 0, 5);
  EXPECT_EQ(counts.Find(kSegment, 0), 5u);
  EXPECT_EQ(counts.Find(kSegment, 64), std::nullopt);
  counts.Keep(kSegment, 64, 0);
  counts.Keep(kSegment, 0, 0xffffffff);
  EXPECT_EQ(counts.Find(kSegment, 64), 0u);
  EXPECT_EQ(counts.Find(kSegment, 0), 0xffffffffu);
}

TEST(LiveCounts, KeepNothingOfAnotherSegment) {
  LiveCounts counts;
  counts.Keep(kSegment, 64, 5);
  EXPECT_EQ(counts.Find(kSegment + 1, 64), std::nullopt);
  counts.Keep(kSegment + 1, 64, 6);
  EXPECT_EQ(counts.Find(kSegment + 1, 64), std::nullopt);
  EXPECT_EQ(counts.Find(kSegment, 64), 5u);
}

// More lists than slots, close together and far apart: some are forgotten, none gets another's.
TEST(LiveCounts, NeverConfuseTwoLists) {
  for (const uint64_t unit : {uint64_t{1}, uint64_t{64}, uint64_t{1} << 34, uint64_t{1} << 52}) {
    std::mt19937 random(1);
    LiveCounts counts;
    std::map<uint64_t, uint32_t> kept;
    for (int i = 0; i < 10'000; ++i) {
      const uint64_t offset = random() % 4000 * unit;
      counts.Keep(kSegment, offset, kept[offset] = static_cast<uint32_t>(random()));
    }
    size_t found = 0;
    for (const auto& [offset, count] : kept) {
      const auto known = counts.Find(kSegment, offset);
      if (!known.has_value()) continue;
      ++found;
      EXPECT_EQ(*known, count) << offset;
    }
    const bool is_dense = unit <= 64;
    EXPECT_TRUE(!is_dense || found > LiveCounts::kSlots / 2) << found;
  }
}

TEST(LiveCounts, ServeSeveralThreads) {
  LiveCounts counts;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&counts] {
      for (uint32_t i = 0; i < 5000; ++i) {
        counts.Keep(kSegment, uint64_t{i} * 64, i);
        const auto known = counts.Find(kSegment, uint64_t{i} * 64);
        EXPECT_EQ(known.value_or(i), i);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace live_counts_test
}  // namespace pmdex
