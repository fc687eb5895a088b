// Readers, scales and mappers over random columns, value by value.
#include "query/aggregations/values/bucket_mapper.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "engine/columns/column_key.h"
#include "query/aggregations/values/column_reader.h"
#include "query/aggregations/values/histogram_scale.h"
#include "tests/support/column_index.h"
#include "tests/support/random_corpus.h"

namespace pmdex {
namespace bucket_mapper_test {

class BucketMapperTest : public testing::Test {
 protected:
  static constexpr uint32_t kDocs = 9000;

  const ColumnView& Column(const std::string& name) const {
    return *index_.snapshot->segments()[0]->FindColumn(name);
  }

  // Expects that the mapper puts every value of the column into the bucket that the scale names.
  void CheckAgainstScale(const std::string& name, const Aggregation& request) const {
    const ColumnView& column = Column(name);
    const auto scale = HistogramScale::Create(request, column.type());
    ASSERT_TRUE(scale.ok()) << scale.status();
    const auto mapper = NewHistogramMapper(column, *scale);
    for (uint64_t i = 0; i < column.value_count(); ++i) {
      const uint64_t key = *column.KeyAt(i);
      std::vector<uint64_t> slots = {key};
      mapper->Map(slots);
      const uint64_t expected = scale->BucketOf(key);
      if (mapper->drops_values() && slots[0] == BucketMapper::kNoSlot) {
        ASSERT_EQ(expected, HistogramScale::kNoBucket);
        continue;
      }
      ASSERT_TRUE(mapper->slot_count() == 0 || slots[0] < mapper->slot_count());
      ASSERT_EQ(*mapper->BucketKey(slots[0]), expected) << name << " " << i;
    }
  }

  const ColumnIndex index_ = MakeColumnIndex(31, {kDocs});
};

TEST_F(BucketMapperTest, FindsTheBucketsThatTheScaleNames) {
  SeededRandom random(2);
  for (const char* const name : {"n", "big", "id", "f", "nums", "rare", "one"}) {
    for (const double interval : {1.0, 7.0, 0.3, 1e6, 3e17}) {
      Aggregation request;
      request.kind = AggregationKind::kHistogram;
      request.interval = interval;
      request.offset = static_cast<double>(random.Below(9));
      CheckAgainstScale(name, request);
    }
  }
  for (const char* const interval : {"1h", "7h", "1d", "1w", "1M", "5M", "1y"}) {
    for (const char* const zone : {"UTC", "+05:30", "Europe/Berlin"}) {
      Aggregation request;
      request.kind = AggregationKind::kDateHistogram;
      request.date_interval = *ParseDateInterval(interval);
      request.date_interval->zone = *ParseTimeZone(zone);
      CheckAgainstScale("time", request);
    }
  }
}

TEST_F(BucketMapperTest, GivesEachTermABucket) {
  KeywordPool pool;
  for (const char* const name : {"n", "big", "f", "level", "name", "tags"}) {
    const ColumnView& column = Column(name);
    const auto mapper = NewTermsMapper(column, pool);
    for (uint64_t i = 0; i < column.value_count(); ++i) {
      const uint64_t key = *column.KeyAt(i);
      std::vector<uint64_t> slots = {key};
      mapper->Map(slots);
      const uint64_t bucket = *mapper->BucketKey(slots[0]);
      if (column.type() == FieldType::kKeyword) {
        ASSERT_EQ(pool.keyword(bucket), *column.Keyword(key));
      } else {
        ASSERT_EQ(bucket, ComparableKey(column.type(), key));
      }
    }
  }
  EXPECT_EQ(pool.NumberOf("info"), pool.NumberOf("info"));
  EXPECT_NE(pool.NumberOf("info"), pool.NumberOf("warn"));
}

TEST_F(BucketMapperTest, ReadsTheValuesThatTheColumnHasOfEachDocument) {
  SeededRandom random(3);
  for (const RandomColumn& of : index_.columns) {
    const ColumnView& column = Column(of.name);
    ColumnReader reader(column);
    for (uint32_t window = 0; window * kWindowDocs < kDocs; ++window) {
      std::vector<uint16_t> docs;
      for (uint32_t doc = window * kWindowDocs; doc < std::min(kDocs, (window + 1) * kWindowDocs);
           ++doc) {
        if (random.OneIn(3)) docs.push_back(static_cast<uint16_t>(doc % kWindowDocs));
      }
      ASSERT_TRUE(reader.Load(window).ok());
      BatchValues values;
      reader.Read(docs, values);
      size_t at = 0;
      for (size_t i = 0; i < docs.size(); ++i) {
        const ValueRange expected = *column.ValuesOf(window * kWindowDocs + docs[i]);
        for (uint32_t value = 0; value < expected.count; ++value, ++at) {
          ASSERT_LT(at, values.keys.size());
          ASSERT_EQ(values.PositionOf(at), i);
          ASSERT_EQ(values.keys[at], *column.KeyAt(expected.first + value)) << of.name;
        }
      }
      ASSERT_EQ(at, values.keys.size());
    }
  }
}

TEST_F(BucketMapperTest, CountsTheKeysThatItReads) {
  SeededRandom random(6);
  size_t counted = 0;
  for (const ColumnView& column : index_.snapshot->segments()[0]->columns()) {
    ColumnReader reader(column);
    const bool is_plain = column.is_dense() && !column.is_multi();
    for (uint32_t window = 0; window * kWindowDocs < kDocs; ++window) {
      ASSERT_TRUE(reader.Load(window).ok());
      std::vector<uint16_t> docs;
      for (uint32_t doc = 0; doc < std::min(kWindowDocs, kDocs - window * kWindowDocs); ++doc) {
        if (random.Below(window + 1) == 0) docs.push_back(static_cast<uint16_t>(doc));
      }
      constexpr size_t kKeys = 40;  // fewer than some columns have
      std::vector<uint64_t> counts(kKeys, 5);
      const bool counts_here = reader.CountKeys(docs, counts);
      ASSERT_EQ(counts_here, is_plain) << column.name();
      std::vector<uint64_t> expected(kKeys, 5);
      BatchValues values;
      reader.Read(docs, values);
      for (const uint64_t key : values.keys) {
        if (counts_here && key < kKeys) ++expected[key];
      }
      ASSERT_EQ(counts, expected) << column.name();
      counted += counts_here ? 1 : 0;
    }
  }
  EXPECT_GT(counted, 2u);
}

TEST(HistogramScaleTest, NamesTheStartsOfItsBuckets) {
  Aggregation request;
  request.kind = AggregationKind::kHistogram;
  request.interval = 10;
  request.offset = 3;
  const auto integers = HistogramScale::Create(request, FieldType::kI64);
  EXPECT_EQ(integers->StartOf(integers->BucketOf(KeyOfI64(12))).i64(), 3);
  EXPECT_EQ(integers->StartOf(integers->BucketOf(KeyOfI64(2))).i64(), -7);
  EXPECT_EQ(integers->StartOf(integers->Next(integers->BucketOf(KeyOfI64(2)))).i64(), 3);
  const auto unsigned_integers = HistogramScale::Create(request, FieldType::kU64);
  EXPECT_EQ(unsigned_integers->StartOf(unsigned_integers->BucketOf(1)).i64(), -7);
  EXPECT_EQ(unsigned_integers->StartOf(unsigned_integers->BucketOf(UINT64_MAX)).bits,
            18'446'744'073'709'551'613u);
  request.interval = 0.5;
  const auto real = HistogramScale::Create(request, FieldType::kF64);
  EXPECT_EQ(real->StartOf(real->BucketOf(KeyOfF64(-0.2))).f64(), -0.5);
  EXPECT_EQ(real->BucketOf(KeyOfF64(HUGE_VAL)), HistogramScale::kNoBucket);
  EXPECT_EQ(real->BucketOfBound(0.7), real->BucketOf(KeyOfF64(0.5)));
  request.interval = -1;
  EXPECT_FALSE(HistogramScale::Create(request, FieldType::kF64).ok());
}

}  // namespace bucket_mapper_test
}  // namespace pmdex
