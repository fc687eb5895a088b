// Counting through the order of values gives what counting each value gives.
#include "query/aggregations/values/order_count.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/support/column_index.h"

namespace pmdex {
namespace order_count_test {

std::vector<uint64_t> CountOneByOne(const ColumnView& column, BucketMapper& mapper) {
  std::vector<uint64_t> counts(mapper.slot_count());
  for (uint64_t i = 0; i < column.value_count(); ++i) {
    uint64_t key = column.KeyAt(i).value();
    mapper.Map({&key, 1});
    if (key < counts.size()) ++counts[key];
  }
  return counts;
}

TEST(OrderCount, GivesTheCountsOfAllValues) {
  size_t compared = 0;
  for (const uint32_t docs : {1u, 255u, 256u, 257u, 5000u, 20'000u}) {
    const ColumnIndex index = MakeColumnIndex(docs, {docs});
    for (const ColumnView& column : index.snapshot->segments()[0]->columns()) {
      KeywordPool pool;
      const std::unique_ptr<BucketMapper> mapper = NewTermsMapper(column, pool);
      if (!mapper->ascends() || column.is_multi() || mapper->slot_count() == 0) continue;
      std::vector<uint64_t> counts(mapper->slot_count());
      ASSERT_TRUE(CountInOrder(column, *mapper, counts).ok());
      EXPECT_EQ(counts, CountOneByOne(column, *mapper)) << column.name() << " " << docs;
      ++compared;
    }
  }
  EXPECT_GT(compared, 12u);
}

TEST(OrderCount, PaysForFewBucketsOfManyValues) {
  const ColumnIndex index = MakeColumnIndex(2, {20'000});
  const Segment& segment = *index.snapshot->segments()[0];
  KeywordPool pool;
  const auto pays = [&](const char* name) {
    const ColumnView& column = *segment.FindColumn(name);
    return PaysToCountInOrder(column, *NewTermsMapper(column, pool));
  };
  EXPECT_TRUE(pays("level"));
  EXPECT_FALSE(pays("tags")) << "several values a document";
  EXPECT_FALSE(pays("big")) << "any number is a slot";
}

}  // namespace order_count_test
}  // namespace pmdex
