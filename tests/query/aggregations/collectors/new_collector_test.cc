// Which collector computes what. What they compute is tested in aggregation_set_test.cc.
#include "query/aggregations/collectors/new_collector.h"

#include <gtest/gtest.h>

#include "query/aggregations/bound_aggregation.h"
#include "query/aggregations/collectors/bucket_collector.h"
#include "query/aggregations/collectors/collector.h"
#include "query/aggregations/collectors/filters_collector.h"
#include "query/aggregations/collectors/histogram_collector.h"
#include "query/aggregations/collectors/metric_collectors.h"
#include "query/aggregations/collectors/range_collector.h"
#include "query/aggregations/collectors/terms_collector.h"
#include "query/aggregations/collectors/value_bucket_collector.h"
#include "tests/support/column_index.h"

namespace pmdex {
namespace new_collector_test {

class NewCollectorTest : public testing::Test {
 protected:
  // True if the collector of this kind is a T.
  template <typename T>
  bool Makes(AggregationKind kind, const std::string& field) {
    Aggregation request;
    request.kind = kind;
    request.field = field;
    request.interval = 10;
    request.date_interval = DateInterval{CalendarUnit::kDay, 1};
    const auto bound = BindAggregation(request, *index_.snapshot, kNoDeadline);
    return bound.ok() && dynamic_cast<T*>(NewCollector(*bound).get()) != nullptr;
  }
  const ColumnIndex index_ = MakeColumnIndex(1, {100});
};

TEST_F(NewCollectorTest, EachKindHasItsCollector) {
  EXPECT_TRUE(Makes<TermsCollector>(AggregationKind::kTerms, "level"));
  EXPECT_TRUE(Makes<ValueBucketCollector>(AggregationKind::kTerms, "n"));
  EXPECT_TRUE(Makes<HistogramCollector>(AggregationKind::kHistogram, "n"));
  EXPECT_TRUE(Makes<HistogramCollector>(AggregationKind::kDateHistogram, "time"));
  EXPECT_TRUE(Makes<RangeCollector>(AggregationKind::kRange, "f"));
  EXPECT_TRUE(Makes<FiltersCollector>(AggregationKind::kFilters, ""));
  EXPECT_TRUE(Makes<BucketCollector>(AggregationKind::kFilters, ""));
  EXPECT_TRUE(Makes<StatsCollector>(AggregationKind::kStats, "f"));
  EXPECT_TRUE(Makes<CardinalityCollector>(AggregationKind::kCardinality, "tags"));
  EXPECT_TRUE(Makes<PercentilesCollector>(AggregationKind::kPercentiles, "time"));
  EXPECT_FALSE(Makes<StatsCollector>(AggregationKind::kStats, "level"));
}

TEST_F(NewCollectorTest, ABucketWithoutDocumentsHasAnEmptyResult) {
  Aggregation request;
  request.kind = AggregationKind::kStats;
  request.field = "n";
  const auto bound = BindAggregation(request, *index_.snapshot, kNoDeadline);
  ASSERT_TRUE(bound.ok());
  const std::unique_ptr<Collector> collector = NewCollector(*bound);
  BucketLimits limits;
  const auto result = collector->Result(BucketTable::kNone, limits);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->stats.count, 0u);
  EXPECT_TRUE(result->stats.min.missing);
}

}  // namespace new_collector_test
}  // namespace pmdex
