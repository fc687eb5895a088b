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

TEST_F(BucketMapperTest, NumbersTheKeywordsOfTheOnlyColumnByTheirOrdinals) {
  for (const char* const name : {"level", "name", "tags"}) {
    const ColumnView& column = Column(name);
    KeywordPool pool(column);
    const auto mapper = NewTermsMapper(column, pool);
    std::vector<std::pair<uint64_t, std::string>> numbered;
    for (uint64_t ordinal = 0; ordinal < column.keyword_count(); ++ordinal) {
      ASSERT_EQ(*mapper->BucketKey(ordinal), ordinal);
      ASSERT_EQ(pool.NumberOf(*column.Keyword(ordinal)), ordinal);
      numbered.emplace_back(ordinal, *column.Keyword(ordinal));
    }
    for (const char* const other : {"", "\x7f of no document", "between", "between"}) {
      const uint64_t number = pool.NumberOf(other);
      EXPECT_FALSE(pool.IsOrdinal(number)) << other;
      numbered.emplace_back(number, other);
    }
    EXPECT_EQ(numbered.rbegin()[0], numbered.rbegin()[1]);
    SeededRandom random(7);
    for (int i = 0; i < 1000; ++i) {
      const auto& [a, a_text] = numbered[random.Below(numbered.size())];
      const auto& [b, b_text] = numbered[random.Below(numbered.size())];
      ASSERT_EQ(pool.keyword(a), a_text);
      ASSERT_EQ(pool.Compare(a, b) < 0, a_text < b_text) << a_text << " " << b_text;
      ASSERT_EQ(pool.Compare(a, b) == 0, a_text == b_text) << a_text << " " << b_text;
    }
  }
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
