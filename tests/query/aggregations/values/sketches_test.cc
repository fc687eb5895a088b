// Distinct counts, quantiles and tables of buckets against sorted values.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "query/aggregations/values/bucket_table.h"
#include "query/aggregations/values/distinct_counter.h"
#include "query/aggregations/values/quantile_sketch.h"
#include "tests/support/effort.h"
#include "tests/support/random_corpus.h"

namespace pmdex {
namespace sketches_test {

TEST(DistinctCounter, IsExactUpToItsLimitAndWithinTwoPerCentBeyond) {
  for (uint64_t seed = 0; seed < 6; ++seed) {
    for (const uint64_t distinct : {0, 1, 1000, 4096, 4097, 20'000, 150'000, 1'000'000}) {
      DistinctCounter counter;
      for (uint64_t i = 0; i < distinct; ++i) counter.Add(MixHash(seed * 10'000'000 + i));
      for (uint64_t i = 0; i < distinct; i += 3) counter.Add(MixHash(seed * 10'000'000 + i));
      EXPECT_EQ(counter.is_exact(), distinct <= DistinctCounter::kMostExact);
      if (counter.is_exact()) {
        EXPECT_EQ(counter.Count(), distinct);
      } else {
        EXPECT_NEAR(static_cast<double>(counter.Count()), static_cast<double>(distinct),
                    static_cast<double>(distinct) * 0.02)
            << seed;
      }
    }
  }
}

TEST(DistinctCounter, CountsValuesOfBothSidesOnceWhenMerged) {
  for (const uint64_t half : {500, 3000, 100'000}) {
    DistinctCounter both;
    DistinctCounter first;
    DistinctCounter second;
    for (uint64_t i = 0; i < half * 2; ++i) {
      both.Add(MixHash(i));
      if (i < half + half / 2) first.Add(MixHash(i));
      if (i >= half) second.Add(MixHash(i));
    }
    first.Merge(second);
    EXPECT_EQ(first.Count(), both.Count());
    EXPECT_EQ(first.is_exact(), both.is_exact());
  }
}

// How far the ranks of the sketch are from those of the values, as a part of their number.
double GreatestError(const QuantileSketch& sketch, std::vector<uint64_t> values) {
  std::sort(values.begin(), values.end());
  const auto sorted = sketch.Sorted();
  double greatest = 0;
  for (int i = 0; i <= 1000; ++i) {
    const uint64_t index = (values.size() - 1) * static_cast<uint64_t>(i) / 1000;
    const uint64_t found = QuantileSketch::ValueAt(sorted, index);
    const auto [low, high] = std::equal_range(values.begin(), values.end(), found);
    EXPECT_NE(low, high);
    const double begin = static_cast<double>(low - values.begin());
    const double end = static_cast<double>(high - values.begin()) - 1;
    const auto rank = static_cast<double>(index);
    const double error = rank < begin ? begin - rank : rank > end ? rank - end : 0;
    greatest = std::max(greatest, error / static_cast<double>(values.size()));
  }
  return greatest;
}

TEST(QuantileSketch, KeepsRanksWithinItsBound) {
  SeededRandom random(4);
  for (const size_t count : {1, 100, 8191, 8192, 100'000, 1'000'000}) {
    if (kIsSanitized && count > 100'000) break;
    for (const uint64_t range : {uint64_t{50}, uint64_t{1} << 62}) {
      QuantileSketch sketch;
      std::vector<uint64_t> values;
      for (size_t i = 0; i < count; ++i) {
        values.push_back(range == 50 ? random.Below(range) : i * 1000 + random.Below(range >> 40));
        sketch.Add(values.back());
      }
      EXPECT_EQ(sketch.count(), count);
      EXPECT_EQ(sketch.is_exact(), count < QuantileSketch::kBuffer);
      const double levels = std::ceil(std::log2(static_cast<double>(count) / 8192.0 + 1)) + 1;
      EXPECT_LE(GreatestError(sketch, values), sketch.is_exact() ? 0 : levels / 8192.0);
    }
  }
}

TEST(QuantileSketch, RanksItsSortedValues) {
  SeededRandom random(9);
  QuantileSketch sketch;
  for (int i = 0; i < 30'000; ++i) sketch.Add(random.Below(1000));
  const auto sorted = sketch.Sorted();
  EXPECT_EQ(sorted.back().second, sketch.count());
  uint64_t first = 0;  // the index of the first value that an element stands for
  for (const auto& [value, rank] : sorted) {
    ASSERT_EQ(QuantileSketch::ValueAt(sorted, first), value);
    ASSERT_EQ(QuantileSketch::ValueAt(sorted, rank - 1), value);
    first = rank;
  }
}

TEST(QuantileSketch, KeepsItsBoundWhenMerged) {
  SeededRandom random(5);
  QuantileSketch all;
  std::vector<uint64_t> values;
  for (int part = 0; part < 7; ++part) {
    QuantileSketch sketch;
    for (uint64_t i = 0; i < 40'000; ++i) {
      values.push_back(random.Next() >> (part * 4));
      sketch.Add(values.back());
    }
    all.Merge(sketch);
  }
  EXPECT_EQ(all.count(), values.size());
  EXPECT_LE(GreatestError(all, values), 0.01);
}

TEST(BucketTable, NumbersPairsOfParentAndKey) {
  SeededRandom random(6);
  BucketTable table;
  std::vector<std::set<uint64_t>> expected(9);
  for (int i = 0; i < 3000; ++i) {
    const auto parent = static_cast<uint32_t>(random.Below(7));
    const uint64_t key = random.Below(500);
    const uint32_t bucket = table.FindOrAdd(parent, key);
    EXPECT_EQ(table.parent(bucket), parent);
    EXPECT_EQ(table.key(bucket), key);
    table.AddDocs(bucket, 1);
    expected[parent].insert(key);
  }
  uint64_t docs = 0;
  for (uint32_t parent = 0; parent < expected.size(); ++parent) {
    std::set<uint64_t> found;
    for (const uint32_t bucket : table.BucketsBelow(parent)) {
      found.insert(table.key(bucket));
      docs += table.count(bucket);
    }
    EXPECT_EQ(found, expected[parent]);
  }
  EXPECT_EQ(docs, 3000u);
  EXPECT_TRUE(table.BucketsBelow(BucketTable::kNone).empty());
}

TEST(BucketTable, FindsWhatWasAppended) {
  SeededRandom random(8);
  BucketTable table;
  std::map<std::pair<uint32_t, uint64_t>, uint32_t> expected;
  for (int i = 0; i < 3000; ++i) {
    const std::pair<uint32_t, uint64_t> pair(random.Below(3), random.Below(700));
    const auto found = expected.find(pair);
    if (found == expected.end() && random.OneIn(2)) {
      expected.emplace(pair, static_cast<uint32_t>(table.size()));
      table.Append(pair.first, pair.second, 2);
      continue;
    }
    const auto size = static_cast<uint32_t>(table.size());
    const uint32_t bucket = table.FindOrAdd(pair.first, pair.second);
    ASSERT_EQ(bucket, found == expected.end() ? size : found->second);
    expected.emplace(pair, bucket);
    if (bucket == size) table.AddDocs(bucket, 2);
  }
  for (const auto& [pair, bucket] : expected) {
    EXPECT_EQ(table.parent(bucket), pair.first);
    EXPECT_EQ(table.key(bucket), pair.second);
    EXPECT_EQ(table.count(bucket), 2u);
  }
}

}  // namespace sketches_test
}  // namespace pmdex
