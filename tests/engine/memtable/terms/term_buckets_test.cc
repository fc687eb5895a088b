#include "engine/memtable/terms/term_buckets.h"

#include <cstring>
#include <map>
#include <random>
#include <set>
#include <utility>

#include "gtest/gtest.h"

namespace pmdex {
namespace term_buckets_test {

// Clusters that touch, and one that goes around the end: homes come from the low bits.
uint32_t RandomHash(std::mt19937& random) {
  const uint32_t home = random() % 3 == 0 ? 0xfff8 + random() % 8 : random() % 600;
  return home | (random() % 4) << 16 | static_cast<uint32_t>(random() % 4) << 24;
}

class TermBucketsOfParts : public testing::TestWithParam<uint32_t> {
 protected:
  // Of those with this hash all, as often as Find meets them.
  std::multiset<Arena::Handle> Met(uint32_t hash) const {
    std::multiset<Arena::Handle> met;
    const auto is_it = [&met](Arena::Handle handle) {
      met.insert(handle);
      return false;
    };
    EXPECT_EQ(buckets_.Find<false>(hash, is_it), 0u);
    return met;
  }

  TermBuckets buckets_{GetParam()};
  std::map<uint32_t, std::multiset<Arena::Handle>> expected_;
};

TEST_P(TermBucketsOfParts, FindWhatWasInsertedAndNotRemoved) {
  std::mt19937 random(41);
  Arena::Handle next = 1;
  size_t size = 0;
  for (int step = 0; step < 20000; ++step) {
    const uint32_t hash = RandomHash(random);
    std::multiset<Arena::Handle>& handles = expected_[hash];
    if (handles.empty() || (step < 6000 && random() % 3 > 0)) {
      buckets_.Reserve(1);
      buckets_.Insert(hash, next);
      handles.insert(next++);
      ++size;
    } else {
      buckets_.Remove(hash, *handles.begin());
      handles.erase(handles.begin());
      --size;
    }
    ASSERT_EQ(buckets_.size(), size);
    ASSERT_EQ(Met(hash), handles);
  }
  for (const auto& [hash, handles] : expected_) ASSERT_EQ(Met(hash), handles);
}

TEST_P(TermBucketsOfParts, GiveTheOneThatIsMeant) {
  for (Arena::Handle handle = 1; handle <= 100; ++handle) {
    buckets_.Reserve(1);
    buckets_.Insert(7, handle);
  }
  const auto find = [this](Arena::Handle meant) {
    return buckets_.Find<false>(7, [&](Arena::Handle handle) { return handle == meant; });
  };
  for (Arena::Handle handle = 1; handle <= 100; ++handle) EXPECT_EQ(find(handle), handle);
  EXPECT_EQ(find(101), 0u);
}

TEST_P(TermBucketsOfParts, TakeMemoryUntilTheyAreDropped) {
  const size_t empty = buckets_.size_bytes();
  EXPECT_GT(empty, 0u);
  buckets_.Reserve(100000);
  EXPECT_GE(buckets_.size_bytes(), 100000u * 8);
  buckets_.Drop();
  EXPECT_EQ(buckets_.size_bytes(), 0u);
}

// Inserts handles from `size` + 1 on until there are `wanted`, and finds them all.
void FillUpTo(uint32_t wanted, TermBuckets& buckets) {
  const auto hash_of = [](Arena::Handle handle) { return handle * 2654435761u; };
  for (auto handle = static_cast<Arena::Handle>(buckets.size() + 1); handle <= wanted; ++handle) {
    buckets.Reserve(1);
    buckets.Insert(hash_of(handle), handle);
  }
  for (Arena::Handle handle = 1; handle <= 2 * wanted; ++handle) {
    const Arena::Handle found =
        buckets.Find<true>(hash_of(handle), [&](Arena::Handle at) { return at == handle; });
    ASSERT_EQ(found, handle <= wanted ? handle : 0);
  }
}

TEST(TermBuckets, OfOnePartBeginInAChunkThatOthersHadBefore) {
  ChunkPool pool;
  HugeBuffer chunk = pool.Take(3);
  std::memset(chunk.data(), 0xff, chunk.size_bytes());
  pool.Return(3, std::move(chunk));
  {
    TermBuckets buckets(1, &pool, 3);
    buckets.Reserve(30000);
    EXPECT_EQ(pool.held(3), 0u);
    EXPECT_EQ(buckets.size_bytes(), size_t{8} << 16);
    FillUpTo(30000, buckets);
    FillUpTo(170000, buckets);  // all of the chunk
    EXPECT_EQ(buckets.size_bytes(), ChunkPool::kChunkBytes);
  }
  EXPECT_EQ(pool.held(3), 1u);
  TermBuckets buckets(1, &pool, 3);
  buckets.Reserve(30000);
  FillUpTo(180000, buckets);  // more than a chunk has room for
  EXPECT_EQ(buckets.size_bytes(), 2 * ChunkPool::kChunkBytes);
  buckets.Drop();
  EXPECT_EQ(pool.held(3), 0u);
  EXPECT_EQ(pool.taken(3), 3u);
}

TEST(TermBuckets, TakeNoChunkForFewTermsOrManyParts) {
  ChunkPool pool;
  TermBuckets few(1, &pool);
  few.Reserve(5000);
  TermBuckets parts(4, &pool);
  parts.Reserve(30000);
  TermBuckets many(1, &pool);
  many.Reserve(1000000);
  EXPECT_EQ(pool.taken(0), 0u);
}

INSTANTIATE_TEST_SUITE_P(All, TermBucketsOfParts, testing::Values(1u, 4u));

}  // namespace term_buckets_test
}  // namespace pmdex
