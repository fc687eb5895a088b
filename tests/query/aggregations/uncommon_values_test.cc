// Aggregations of values at the ends of their types, and of fields that one of several indexes
// lacks.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <memory>
#include <string>
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
  request.order = {{TermsOrder::By::kKey, false, 0, {}}};
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
