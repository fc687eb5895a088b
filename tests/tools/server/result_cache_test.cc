#include "tools/server/result_cache.h"

#include <gtest/gtest.h>

#include <map>
#include <thread>
#include <vector>

#include "tests/support/random_corpus.h"

namespace pmdex {
namespace result_cache_test {

TEST(ResultCache, IsOffWithoutMemory) {
  EXPECT_FALSE(ResultCache(0).is_on());
  EXPECT_TRUE(ResultCache(1 << 20).is_on());
}

TEST(ResultCache, ReturnsWhatWasKeptUnderTheKey) {
  ResultCache cache(1 << 20);
  EXPECT_EQ(cache.Find("a"), std::nullopt);
  cache.Insert("a", "one");
  cache.Insert("b", "two");
  EXPECT_EQ(cache.Find("a"), "one");
  EXPECT_EQ(cache.Find("b"), "two");
}

TEST(ResultCache, KeepsWithinItsMemoryWhateverIsInserted) {
  constexpr uint64_t kMost = 100'000;
  ResultCache cache(kMost);
  SeededRandom random(1);
  std::map<std::string, std::string> all;
  size_t found = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::string key = std::to_string(random.Below(1000));
    const auto kept = cache.Find(key);
    if (kept.has_value()) {
      ++found;
      ASSERT_EQ(*kept, all[key]);
    } else {
      all[key] = std::string(random.Below(2000), 'x') + key;
      cache.Insert(key, all[key]);
    }
    ASSERT_LE(cache.bytes(), kMost);
  }
  EXPECT_GT(found, 0u);
  cache.Insert("huge", std::string(kMost, 'x'));
  EXPECT_EQ(cache.Find("huge"), std::nullopt);
}

TEST(ResultCache, ForgetsFirstWhatWasNotUsedForLongest) {
  ResultCache cache(1 << 14);  // each part has room for about two entries
  cache.Insert("wanted", std::string(300, 'w'));
  for (int i = 0; i < 1000; ++i) {
    cache.Insert(std::to_string(i), std::string(300, 'x'));
    EXPECT_TRUE(cache.Find("wanted").has_value()) << i;
  }
  EXPECT_FALSE(cache.Find("0").has_value());
}

TEST(ResultCache, MayBeUsedByManyThreads) {
  ResultCache cache(10'000);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 5000; ++i) {
        const std::string key = std::to_string(i % 97);
        cache.Insert(key, key + key);
        const auto kept = cache.Find(key);
        EXPECT_TRUE(!kept.has_value() || *kept == key + key);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace result_cache_test
}  // namespace pmdex
