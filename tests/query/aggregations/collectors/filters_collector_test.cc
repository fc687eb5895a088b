// The deadline of filters. What filters count is tested in aggregation_set_test.cc.
#include "query/aggregations/collectors/filters_collector.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "query/aggregations/collectors/new_collector.h"
#include "query/algorithm/search_context.h"
#include "query/searcher.h"
#include "tests/query/query_parsing.h"
#include "tests/support/column_index.h"

namespace pmdex {
namespace filters_collector_test {

// Its time comes at a given look.
class CountingClock final : public DeadlineClock {
 public:
  explicit CountingClock(uint64_t looks_in_time) : looks_in_time_(looks_in_time) {}
  TimePoint Now() const override {
    return TimePoint(std::chrono::hours(++looks_ > looks_in_time_ ? 2 : 0));
  }
  uint64_t looks() const { return looks_; }

 private:
  const uint64_t looks_in_time_;
  mutable uint64_t looks_ = 0;
};

struct Outcome {
  AggregationResult filters;
  bool timed_out = false;
  uint64_t looks = 0;
};

Outcome FilterInTime(const Searcher& searcher, uint64_t looks_in_time) {
  Aggregation request;
  request.kind = AggregationKind::kFilters;
  Parsing parsing(AnalyzerKind::kWhitespace, {"body"});
  for (const char* const text : {"+w2 +w7", "w300", "w2 w7 w300", "w*"}) {
    request.filters.push_back({text, std::move(*parsing.Parse(text))});
  }
  Aggregation outer;
  outer.field = "flag";
  outer.below = {request};
  SearchOptions options;
  options.k = 0;
  options.aggregations = {outer};
  options.deadline = std::chrono::hours(1);
  const CountingClock clock(looks_in_time);
  options.clock = &clock;
  auto result = searcher.Search("all", options);
  EXPECT_TRUE(result.ok()) << result.status();
  return {result->aggregations[0], result->timed_out, clock.looks()};
}

bool SameCounts(const AggregationResult& a, const AggregationResult& b) {
  if (a.buckets.size() != b.buckets.size()) return false;
  for (size_t i = 0; i < a.buckets.size(); ++i) {
    if (a.buckets[i].count != b.buckets[i].count) return false;
    for (size_t j = 0; j < a.buckets[i].below.size(); ++j) {
      if (!SameCounts(a.buckets[i].below[j], b.buckets[i].below[j])) return false;
    }
  }
  return true;
}

TEST(FiltersCollector, TellsItsParentThatTheDeadlineCame) {
  const ColumnIndex index = MakeColumnIndex(5, {100});
  Aggregation request;
  request.field = "flag";
  Aggregation& filters = request.below.emplace_back();
  filters.kind = AggregationKind::kFilters;
  Parsing parsing(AnalyzerKind::kWhitespace, {"body"});
  filters.filters.push_back({"", std::move(*parsing.Parse("w2 w7"))});
  const auto bound = BindAggregation(request, *index.snapshot, kNoDeadline);
  const auto binding =
      BindQuery(*filters.filters[0].query, *index.snapshot, SimilarityKind::kBm25, kNoDeadline);
  ASSERT_TRUE(bound.ok() && binding.ok());
  const SearchPlan plan = PlanSearch(*binding, {});
  const SearchContext search{*binding, plan};
  for (const bool is_late : {false, true}) {
    SegmentContext segment = SegmentContextOf(search, 0);
    segment.cursor.deadline =
        is_late ? Deadline(DeadlineClock::TimePoint::min()) : Deadline(std::nullopt);
    const std::unique_ptr<Collector> collector = NewCollector(*bound);
    ASSERT_TRUE(collector->OpenSegment(segment).ok());
    EXPECT_EQ(collector->timed_out(), is_late);
    ASSERT_TRUE(collector->CloseSegment().ok());
    EXPECT_EQ(collector->timed_out(), is_late);
  }
}

TEST(FiltersCollector, SaysWheneverTheDeadlineLeftItsBucketsIncomplete) {
  const Searcher searcher(MakeColumnIndex(5, {9000, 3000}).snapshot);
  const Outcome whole = FilterInTime(searcher, UINT64_MAX);
  ASSERT_FALSE(whole.timed_out);
  uint64_t incomplete = 0;
  for (uint64_t looks = 1; looks < whole.looks; ++looks) {
    const Outcome cut = FilterInTime(searcher, looks);
    if (SameCounts(cut.filters, whole.filters)) continue;
    ++incomplete;
    EXPECT_TRUE(cut.timed_out) << looks;
    EXPECT_FALSE(cut.filters.exact) << looks;
  }
  EXPECT_GT(incomplete, 0u);
}

}  // namespace filters_collector_test
}  // namespace pmdex
