#include "pmem/block_io/block_cache.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "pmem/thread.h"
#include "tests/pmem/block_io/block_file.h"

namespace pmdex {
namespace block_cache_test {

constexpr size_t kFileBytes = 500 * kCacheBlockBytes + 768;

class BlockCacheTest : public testing::TestWithParam<ReadQueue::Method> {
 protected:
  // Pins a random range and compares all its bytes with the file's.
  void PinARandomRange(BlockCache& cache, SeededRandom& random) {
    const uint64_t offset = random.Below(kFileBytes);
    const uint64_t most = std::min<uint64_t>(kFileBytes - offset, 5 * kCacheBlockBytes);
    const uint64_t size = 1 + random.Below(most);
    const auto pin = cache.PinRange(file_.direct(), offset, size);
    ASSERT_TRUE(pin.ok()) << pin.status();
    ExpectHolds(*pin, offset, size);
  }

  void ExpectHolds(const BlockCache::Pin& pin, uint64_t offset, uint64_t size) {
    for (uint64_t at = offset; at < offset + size;) {
      const uint64_t end = std::min((at / kCacheBlockBytes + 1) * kCacheBlockBytes, offset + size);
      ASSERT_TRUE(file_.Holds(at, {pin.At(at), end - at})) << at;
      at = end;
    }
  }

  const BlockFile file_{kFileBytes, 3};
};

TEST_P(BlockCacheTest, GivesTheBytesOfTheFileWhateverItsSize) {
  for (const size_t blocks : {1, 3, 50, 300, 1000}) {
    BlockCache cache(blocks * kCacheBlockBytes, GetParam());
    SeededRandom random(blocks);
    for (int i = 0; i < 500 && !HasFatalFailure(); ++i) PinARandomRange(cache, random);
  }
}

TEST_P(BlockCacheTest, CountsWhatItReadsAndWhatWasThere) {
  BlockCache cache(100 * kCacheBlockBytes, GetParam());
  ASSERT_TRUE(cache.PinRange(file_.direct(), 0, 3 * kCacheBlockBytes).ok());
  ASSERT_TRUE(cache.PinRange(file_.direct(), kCacheBlockBytes, 3 * kCacheBlockBytes).ok());
  const BlockCacheCounters counters = cache.counters();
  EXPECT_EQ(counters.misses, 4u);
  EXPECT_EQ(counters.hits, 2u);
  EXPECT_EQ(counters.overflows, 0u);
  EXPECT_EQ(counters.bytes_read, 4 * kCacheBlockBytes);
}

TEST_P(BlockCacheTest, CountsWaitsOnlyWhereBlocksAreMissing) {
  BlockCache cache(100 * kCacheBlockBytes, GetParam());
  const auto waits = [&cache] {
    uint64_t sum = 0;
    for (size_t i = 0; i <= LatencyHistogram::kBoundsUs.size(); ++i) sum += cache.waits().count(i);
    return sum;
  };
  const BlockCache::Range range = {&file_.direct(), 0, 3 * kCacheBlockBytes};
  cache.Fetch({&range, 1});
  EXPECT_EQ(waits(), 1u);
  ASSERT_TRUE(cache.PinRange(file_.direct(), 0, 3 * kCacheBlockBytes).ok());
  EXPECT_EQ(waits(), 1u);
  ASSERT_TRUE(cache.PinRange(file_.direct(), 0, 5 * kCacheBlockBytes).ok());
  EXPECT_EQ(waits(), 2u);
  EXPECT_GT(cache.waits().sum_seconds(), 0.0);
}

TEST_P(BlockCacheTest, KeepsABlockThatIsUsedAgainLongerThanOthers) {
  BlockCache cache(8 * kCacheBlockBytes, GetParam());
  for (uint64_t block = 1; block < 200; ++block) {
    ASSERT_TRUE(cache.PinRange(file_.direct(), 0, 1).ok());
    ASSERT_TRUE(cache.PinRange(file_.direct(), block * kCacheBlockBytes, 1).ok());
  }
  EXPECT_EQ(cache.counters().misses, 200u);
}

TEST_P(BlockCacheTest, KeepsPinnedBlocksAndReadsMoreThanItsSizeBesideThem) {
  BlockCache cache(4 * kCacheBlockBytes, GetParam());
  const auto pinned = cache.PinRange(file_.direct(), 0, 4 * kCacheBlockBytes);
  ASSERT_TRUE(pinned.ok());
  const auto more = cache.PinRange(file_.direct(), 2 * kCacheBlockBytes, 6 * kCacheBlockBytes);
  ASSERT_TRUE(more.ok());
  EXPECT_EQ(cache.counters().overflows, 4u);
  ExpectHolds(*pinned, 0, 4 * kCacheBlockBytes);
  ExpectHolds(*more, 2 * kCacheBlockBytes, 6 * kCacheBlockBytes);
}

TEST_P(BlockCacheTest, UnpinsWhatAMovedPinHeld) {
  BlockCache cache(kCacheBlockBytes, GetParam());
  {
    auto first = cache.PinRange(file_.direct(), 0, 1);
    ASSERT_TRUE(first.ok());
    BlockCache::Pin moved = std::move(*first);
    ASSERT_TRUE(cache.PinRange(file_.direct(), kCacheBlockBytes, 1).ok());
    EXPECT_EQ(cache.counters().overflows, 1u);
    moved = BlockCache::Pin();
  }
  ASSERT_TRUE(cache.PinRange(file_.direct(), kCacheBlockBytes, 1).ok());
  EXPECT_EQ(cache.counters().overflows, 1u);
}

TEST_P(BlockCacheTest, RefusesARangeBehindTheEndOfTheFile) {
  BlockCache cache(16 * kCacheBlockBytes, GetParam());
  EXPECT_TRUE(cache.PinRange(file_.direct(), kFileBytes - 1, 1).ok());
  EXPECT_TRUE(absl::IsDataLoss(cache.PinRange(file_.direct(), kFileBytes - 1, 2).status()));
  EXPECT_TRUE(absl::IsDataLoss(cache.PinRange(file_.direct(), kFileBytes + 9999, 1).status()));
}

TEST_P(BlockCacheTest, TriesAgainAfterAReadThatFailed) {
  BlockCache cache(16 * kCacheBlockBytes, GetParam());
  const auto directory = UncachedFile::Open(testing::TempDir());
  if (!directory.ok()) GTEST_SKIP() << "this file system opens no directory with O_DIRECT";
  for (uint64_t tries = 1; tries <= 3; ++tries) {
    EXPECT_FALSE(cache.PinRange(**directory, 0, 1).ok());
    EXPECT_EQ(cache.counters().errors, tries);
  }
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(cache.PinRange(file_.direct(), 0, 40000).ok());
}

TEST_P(BlockCacheTest, ServesSeveralThreadsThatReadTheSameBlocks) {
  for (const size_t blocks : {2, 200}) {
    BlockCache cache(blocks * kCacheBlockBytes, GetParam());
    const absl::Status run = RunOnThreads(4, [this, &cache](size_t thread) {
      SeededRandom random(thread % 2);
      for (int i = 0; i < 200 && !HasFatalFailure(); ++i) PinARandomRange(cache, random);
      return absl::OkStatus();
    });
    ASSERT_TRUE(run.ok()) << run;
    EXPECT_EQ(cache.counters().errors, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, BlockCacheTest,
                         testing::Values(ReadQueue::Method::kIoUring, ReadQueue::Method::kPread));

}  // namespace block_cache_test
}  // namespace pmdex
