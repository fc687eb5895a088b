// Aggregations of values at the ends of their types, and of fields that one of several indexes
// lacks or has with another type.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "query/aggregations/aggregation_set.h"
#include "query/searcher.h"
#include "tests/support/segment_bytes.h"
#include "tests/support/vector_segment_input.h"

namespace pmdex {
namespace uncommon_values_test {

// An index with one document for each value of the field x, and the word "all" in all of them.
std::unique_ptr<Searcher> IndexOf(FieldType type, const std::vector<uint64_t>& values,
                                  const std::string& field = "x") {
  VectorSegmentInput input({.positions = false});
  const FieldId body = input.AddField("body");
  for (const uint64_t bits : values) {
    const DocId doc = input.AddDocument("d" + std::to_string(input.doc_count()));
    input.AddText(doc, body, "all");
    input.AddValue(doc, field, FieldValue{type, bits, {}});
  }
  input.Finish();
  IndexSettings settings;
  settings.analyzer = AnalyzerKind::kWhitespace;
  settings.positions = false;
  return std::make_unique<Searcher>(Snapshot::Of(settings, {SegmentBytes(input).Open().value()}));
}

std::unique_ptr<Searcher> IndexOfReals(const std::vector<double>& values) {
  std::vector<uint64_t> bits;
  for (const double value : values) bits.push_back(std::bit_cast<uint64_t>(value));
  return IndexOf(FieldType::kF64, bits);
}

absl::StatusOr<SearchResult> Search(const Searcher& searcher, const Aggregation& request) {
  SearchOptions options;
  options.k = 0;
  options.aggregations = {request};
  options.keep_aggregation_set = true;
  return searcher.Search("all", options);
}

AggregationResult One(const Searcher& searcher, const Aggregation& request) {
  const auto found = Search(searcher, request);
  EXPECT_TRUE(found.ok()) << found.status();
  if (!found.ok()) return {};
  const auto results = found->aggregation_set->Results();
  EXPECT_TRUE(results.ok()) << results.status();
  return results.ok() ? (*results)[0] : AggregationResult();
}

uint64_t Counted(const AggregationResult& result) {
  uint64_t count = 0;
  for (const AggregationBucket& bucket : result.buckets) count += bucket.count;
  return count;
}

Aggregation HistogramOf(double interval) {
  Aggregation request;
  request.kind = AggregationKind::kHistogram;
  request.field = "x";
  request.interval = interval;
  request.min_doc_count = 0;
  return request;
}

TEST(UncommonValues, AHistogramHasBucketsWhoseNumbersAreFarApart) {
  const auto large = IndexOfReals({1e300, 2e300, 3e300, 4e300, 5e300});
  const AggregationResult result = One(*large, HistogramOf(1));
  EXPECT_EQ(Counted(result), 5u);
  EXPECT_EQ(result.buckets.size(), 5u);
  EXPECT_EQ(Counted(One(*IndexOfReals({0x1p53, 0x1p53 + 2, 0x1p53 + 8}), HistogramOf(1))), 3u);
}

TEST(UncommonValues, EveryBucketOfAHistogramHasAStart) {
  const AggregationResult result = One(*IndexOfReals({-1.5e308, 1.5e308}), HistogramOf(0.1));
  EXPECT_EQ(Counted(result), 2u);
  for (const AggregationBucket& bucket : result.buckets) {
    EXPECT_TRUE(std::isfinite(bucket.key.f64()));
  }
}

TEST(UncommonValues, AnIntervalIsChosenForAllNumbers) {
  const std::vector<std::vector<double>> lists = {
      {-1.5e308, 1.5e308}, {0, 1e-323},   {1e-310, 2e-310}, {1e300, std::nextafter(1e300, 2e300)},
      {0, 1.7e308},        {5e-324, 1e10}};
  for (const std::vector<double>& values : lists) {
    const AggregationResult result = One(*IndexOfReals(values), HistogramOf(0));
    EXPECT_EQ(Counted(result), 2u) << values[0];
    EXPECT_LE(result.buckets.size(), kMostAutomaticBuckets) << values[0];
  }
}

TEST(UncommonValues, InfinitiesDoNotWidenAChosenInterval) {
  const AggregationResult result =
      One(*IndexOfReals({-HUGE_VAL, 0, 100, 200, HUGE_VAL}), HistogramOf(0));
  EXPECT_EQ(Counted(result), 3u);
  EXPECT_GE(result.buckets.size(), 10u);
}

TEST(UncommonValues, WhatIsMissingIsOneValueInAllIndexes) {
  Aggregation request;
  request.field = "x";
  request.missing = "7";
  request.field_may_be_absent = true;
  request.below = {request};
  const auto with = IndexOf(FieldType::kI64, {7, 7, 8});
  const auto without = IndexOf(FieldType::kI64, {1, 2, 3, 4}, "y");
  for (const bool begins_without : {false, true}) {
    const auto first = Search(begins_without ? *without : *with, request);
    const auto second = Search(begins_without ? *with : *without, request);
    const auto third = Search(*without, request);
    ASSERT_TRUE(first.ok() && second.ok() && third.ok());
    AggregationSet& merged = *first->aggregation_set;
    ASSERT_TRUE(merged.Merge(*second->aggregation_set).ok());
    ASSERT_TRUE(merged.Merge(*third->aggregation_set).ok());
    const auto results = merged.Results();
    ASSERT_TRUE(results.ok());
    const std::vector<AggregationBucket>& buckets = (*results)[0].buckets;
    ASSERT_EQ(buckets.size(), 2u);
    EXPECT_EQ(buckets[0].key.i64(), 7);
    EXPECT_EQ(buckets[0].count, 10u);
    EXPECT_EQ(buckets[1].key.i64(), 8);
    ASSERT_EQ(buckets[0].below[0].buckets.size(), 1u);
    EXPECT_EQ(buckets[0].below[0].buckets[0].key.i64(), 7);
    EXPECT_EQ(buckets[0].below[0].buckets[0].count, 10u);
  }
}

// 5 and 7 as integers, and 5, 5.5 and 8 as f64, whichever index comes first.
AggregationResult OfBothTypes(const Aggregation& request, bool begins_with_reals) {
  const auto integers = IndexOf(FieldType::kI64, {5, 7});
  const auto reals = IndexOfReals({5, 5.5, 8});
  const auto first = Search(begins_with_reals ? *reals : *integers, request);
  const auto second = Search(begins_with_reals ? *integers : *reals, request);
  EXPECT_TRUE(first.ok() && second.ok());
  const absl::Status merged = first->aggregation_set->Merge(*second->aggregation_set);
  EXPECT_TRUE(merged.ok()) << merged;
  return first->aggregation_set->Results().value()[0];
}

std::vector<std::pair<double, uint64_t>> KeysAndCounts(const AggregationResult& result) {
  std::vector<std::pair<double, uint64_t>> found;
  for (const AggregationBucket& bucket : result.buckets) {
    EXPECT_EQ(bucket.key.type, FieldType::kF64);
    found.emplace_back(bucket.key.f64(), bucket.count);
  }
  return found;
}

TEST(UncommonValues, NumbersOfSeveralTypesAreMeasuredAsReals) {
  for (const bool begins_with_reals : {false, true}) {
    Aggregation request;
    request.field = "x";
    request.kind = AggregationKind::kStats;
    const StatsResult stats = OfBothTypes(request, begins_with_reals).stats;
    EXPECT_EQ(stats.count, 5u);
    EXPECT_EQ(stats.min.f64(), 5);
    EXPECT_EQ(stats.max.f64(), 8);
    EXPECT_EQ(stats.sum.f64(), 30.5);
    EXPECT_EQ(stats.avg.f64(), 6.1);
    request.kind = AggregationKind::kCardinality;
    EXPECT_EQ(OfBothTypes(request, begins_with_reals).cardinality, 4u);
    request.kind = AggregationKind::kPercentiles;
    request.percents = {0, 50, 100};
    const AggregationResult percentiles = OfBothTypes(request, begins_with_reals);
    EXPECT_EQ(percentiles.percentiles[0].f64(), 5);
    EXPECT_EQ(percentiles.percentiles[1].f64(), 5.5);
    EXPECT_EQ(percentiles.percentiles[2].f64(), 8);
  }
}

TEST(UncommonValues, NumbersOfSeveralTypesShareBuckets) {
  using Found = std::vector<std::pair<double, uint64_t>>;
  for (const bool begins_with_reals : {false, true}) {
    Aggregation request;
    request.field = "x";
    request.below = {request};
    request.below[0].kind = AggregationKind::kStats;
    const AggregationResult terms = OfBothTypes(request, begins_with_reals);
    EXPECT_EQ(KeysAndCounts(terms), (Found{{5, 2}, {5.5, 1}, {7, 1}, {8, 1}}));
    EXPECT_EQ(terms.buckets[0].below[0].stats.sum.f64(), 10);
    request.kind = AggregationKind::kHistogram;
    request.interval = 3;
    request.offset = 1;
    const AggregationResult histogram = OfBothTypes(request, begins_with_reals);
    EXPECT_EQ(KeysAndCounts(histogram), (Found{{4, 3}, {7, 2}}));
    EXPECT_EQ(histogram.buckets[0].below[0].stats.sum.f64(), 15.5);
    request.kind = AggregationKind::kRange;
    request.ranges = {{"", "5", "6"}, {"", "6", std::nullopt}};
    const AggregationResult ranges = OfBothTypes(request, begins_with_reals);
    EXPECT_EQ(ranges.buckets[0].count, 3u);
    EXPECT_EQ(ranges.buckets[1].count, 2u);
  }
}

TEST(UncommonValues, NumbersAndOtherTypesAreNotMerged) {
  Aggregation request;
  request.field = "x";
  const auto index_of_numbers = IndexOf(FieldType::kI64, {5});
  const auto index_of_dates = IndexOf(FieldType::kDate, {5});
  const auto numbers = Search(*index_of_numbers, request);
  const auto dates = Search(*index_of_dates, request);
  ASSERT_TRUE(numbers.ok() && dates.ok());
  EXPECT_EQ(numbers->aggregation_set->Merge(*dates->aggregation_set).message(),
            "the field x has different types in the indexes");
}

TEST(UncommonValues, DatesAreTermsByMillisecondWhereTheRequestWantsThat) {
  constexpr uint64_t kMillisecond = 1'000'000;
  const auto dates = IndexOf(FieldType::kDate, {5 * kMillisecond, 5 * kMillisecond + 999'999,
                                                6 * kMillisecond, -uint64_t{1}, uint64_t{1} << 63});
  Aggregation request;
  request.field = "x";
  EXPECT_EQ(One(*dates, request).buckets.size(), 5u);
  request.dates_by_millisecond = true;
  const AggregationResult result = One(*dates, request);
  ASSERT_EQ(result.buckets.size(), 4u);
  EXPECT_EQ(result.buckets[0].key.bits, 5 * kMillisecond);
  EXPECT_EQ(result.buckets[0].count, 2u);
  EXPECT_EQ(result.buckets[2].key.i64(), -1'000'000);
  request.include.values = {"1970-01-01T00:00:00.0055Z"};
  ASSERT_EQ(One(*dates, request).buckets.size(), 1u);
}

TEST(UncommonValues, RangesShowTheBoundsOfTheRequest) {
  const auto numbers = IndexOf(FieldType::kI64, {1, 2, 3});
  Aggregation request;
  request.kind = AggregationKind::kRange;
  request.field = "x";
  request.ranges = {{"", "1.5", "2.5"}, {"", "-1e30", "1e30"}, {"", "2", "3"}};
  const AggregationResult result = One(*numbers, request);
  ASSERT_EQ(result.buckets.size(), 3u);
  EXPECT_EQ(result.buckets[0].from->f64(), 1.5);
  EXPECT_EQ(result.buckets[0].to->f64(), 2.5);
  EXPECT_EQ(result.buckets[0].count, 1u);
  EXPECT_EQ(result.buckets[1].from->f64(), -1e30);
  EXPECT_EQ(result.buckets[1].to->f64(), 1e30);
  EXPECT_EQ(result.buckets[1].count, 3u);
  EXPECT_EQ(result.buckets[2].from->type, FieldType::kI64);
  EXPECT_EQ(result.buckets[2].to->i64(), 3);
}

TEST(UncommonValues, ADateBoundBeyondAllDatesIsTheNearestOne) {
  const auto dates = IndexOf(FieldType::kDate, {1, 2});
  Aggregation request;
  request.kind = AggregationKind::kRange;
  request.field = "x";
  request.ranges = {{"", "1500-01-01", "3000-01-01"}};
  const AggregationResult result = One(*dates, request);
  EXPECT_EQ(result.buckets[0].from->i64(), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(result.buckets[0].to->i64(), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(result.buckets[0].count, 2u);
}

TEST(UncommonValues, ResultsEndAtTheirLimitsOfMemoryAndTime) {
  Aggregation request;
  request.field = "x";
  request.order = {{TermsOrder::By::kKey, false, {}, {}}};
  Aggregation& percentiles = request.below.emplace_back();
  percentiles.kind = AggregationKind::kPercentiles;
  percentiles.field = "x";
  percentiles.percents.assign(1000, 50);
  const auto found = Search(*IndexOf(FieldType::kI64, {1, 2, 3}), request);
  ASSERT_TRUE(found.ok());
  const AggregationSet& set = *found->aggregation_set;
  BucketLimits limits;
  limits.bytes_left = 3 * 1000 * sizeof(DocValue);
  EXPECT_EQ(set.Results(limits).status().code(), absl::StatusCode::kOutOfRange);
  limits.bytes_left *= 2;
  EXPECT_TRUE(set.Results(limits).ok());
  limits.deadline = Deadline(Deadline::TimePoint::min());
  EXPECT_EQ(set.Results(limits).status().code(), absl::StatusCode::kDeadlineExceeded);
}

}  // namespace uncommon_values_test
}  // namespace pmdex
