// Segments with more slots than a collector keeps arrays for.
#include "query/aggregations/collectors/value_bucket_collector.h"

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "query/aggregations/collectors/new_collector.h"
#include "query/planning/query_binder.h"
#include "query/planning/search_plan.h"
#include "tests/support/column_index.h"

namespace pmdex {
namespace value_bucket_collector_test {

std::shared_ptr<const Query> AllQuery() {
  const auto query = std::make_shared<Query>();
  query->kind = QueryKind::kTerm;
  query->field = "body";
  query->text = "all";
  return query;
}

using Counts = std::map<std::string, uint64_t>;  // of documents by keyword

class ValueBucketCollectorTest : public testing::Test {
 protected:
  // The terms of all documents, of a collector with arrays of so many elements.
  Counts TermsOf(const std::string& field, uint64_t most_array_elements) const {
    Aggregation request;
    request.field = field;
    request.size = 10'000;
    auto bound = BindAggregation(request, *index_.snapshot, kNoDeadline);
    EXPECT_TRUE(bound.ok());
    bound->most_array_elements = most_array_elements;
    const std::unique_ptr<Collector> collector = NewCollector(*bound);
    const auto binding = BindQuery(*AllQuery(), *index_.snapshot, SimilarityKind::kBm25);
    EXPECT_TRUE(binding.ok());
    const SearchPlan plan = PlanSearch(*binding, {});
    const SearchContext search{*binding, plan};
    const SegmentContext segment = SegmentContextOf(search, 0);
    EXPECT_TRUE(collector->OpenSegment(segment).ok());
    for (uint32_t window = 0; window < 2; ++window) {
      std::vector<uint16_t> docs(window == 0 ? kWindowDocs : 1);
      std::iota(docs.begin(), docs.end(), 0);
      EXPECT_TRUE(collector->Collect({window, docs, {}}).ok());
    }
    EXPECT_TRUE(collector->CloseSegment().ok());
    BucketLimits limits;
    const auto result = collector->Result(0, limits);
    EXPECT_TRUE(result.ok());
    Counts counts;
    for (const AggregationBucket& bucket : result->buckets) {
      counts[bucket.key.keyword] = bucket.count;
    }
    return counts;
  }

  // The last window has one document, and so one value.
  const ColumnIndex index_ = MakeColumnIndex(3, {kWindowDocs + 1});
};

TEST_F(ValueBucketCollectorTest, CountsAWindowOfOneValueWithoutAnArray) {
  Counts expected;
  for (const auto& values : index_.column("level").values) ++expected[values[0].keyword];
  EXPECT_EQ(TermsOf("level", uint64_t{1} << 20), expected);
  for (const uint64_t most : {0, 1, 4, 5}) {
    EXPECT_EQ(TermsOf("level", most), expected) << most;
  }
}

}  // namespace value_bucket_collector_test
}  // namespace pmdex
