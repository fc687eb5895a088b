// Aggregations computed document by document from the values that a ColumnIndex keeps, without
// columns, windows and keys. For tests.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "query/aggregations/aggregation.h"
#include "query/aggregations/aggregation_result.h"
#include "tests/support/column_index.h"

namespace pmdex {

// A number (64 bits of mantissa: integers are exact) or a keyword.
using PlainValue = std::variant<long double, std::string>;

inline PlainValue PlainOf(FieldType type, uint64_t bits, const std::string& keyword) {
  switch (type) {
    case FieldType::kKeyword:
      return keyword;
    case FieldType::kI64:
    case FieldType::kDate:
      return static_cast<long double>(std::bit_cast<int64_t>(bits));
    case FieldType::kF64:
      return static_cast<long double>(std::bit_cast<double>(bits)) + 0.0L;
    default:
      return static_cast<long double>(bits);
  }
}
inline PlainValue PlainOf(const DocValue& value) {
  return PlainOf(value.type, value.bits, value.keyword);
}

class AggregationOracle {
 public:
  explicit AggregationOracle(const ColumnIndex& index) : index_(index) {}

  using Docs = std::vector<uint64_t>;

  // Expects that `result` is the answer to the request over these documents.
  void Check(const Aggregation& request, const Docs& docs, const AggregationResult& result) const {
    switch (request.kind) {
      case AggregationKind::kTerms:
        return CheckTerms(request, docs, result);
      case AggregationKind::kHistogram:
      case AggregationKind::kDateHistogram:
        return CheckHistogram(request, docs, result);
      case AggregationKind::kRange:
        return CheckRange(request, docs, result);
      case AggregationKind::kFilters:
        return CheckFilters(request, docs, result);
      case AggregationKind::kStats:
        return CheckStats(request, docs, result);
      case AggregationKind::kCardinality:
        return CheckCardinality(request, docs, result);
      case AggregationKind::kPercentiles:
        return CheckPercentiles(request, docs, result);
    }
  }

 private:
  std::vector<PlainValue> ValuesOf(const Aggregation& request, uint64_t doc) const {
    const RandomColumn& column = index_.column(request.field);
    std::vector<PlainValue> values;
    for (const ColumnValue& value : column.values[doc]) {
      values.push_back(PlainOf(column.type, value.bits, value.keyword));
    }
    return values;
  }

  std::vector<long double> NumbersOf(const Aggregation& request, const Docs& docs) const {
    std::vector<long double> numbers;
    for (const uint64_t doc : docs) {
      for (const PlainValue& value : ValuesOf(request, doc)) {
        numbers.push_back(std::get<long double>(value));
      }
    }
    std::sort(numbers.begin(), numbers.end());
    return numbers;
  }

  void CheckBelow(const Aggregation& request, const Docs& docs,
                  const AggregationBucket& bucket) const {
    ASSERT_EQ(bucket.count, docs.size());
    ASSERT_EQ(bucket.below.size(), request.below.size());
    for (size_t i = 0; i < request.below.size(); ++i) {
      Check(request.below[i], docs, bucket.below[i]);
    }
  }

  void CheckTerms(const Aggregation& request, const Docs& docs,
                  const AggregationResult& result) const {
    std::map<PlainValue, Docs> terms;
    for (const uint64_t doc : docs) {
      std::vector<PlainValue> values = ValuesOf(request, doc);
      if (values.empty() && request.missing.has_value()) values.emplace_back(*request.missing);
      for (const PlainValue& value : std::set<PlainValue>(values.begin(), values.end())) {
        const auto* const keyword = std::get_if<std::string>(&value);
        const auto is_in = [&](const KeywordChoice& choice) {
          return keyword != nullptr && std::find(choice.values.begin(), choice.values.end(),
                                                 *keyword) != choice.values.end();
        };
        if (!request.include.empty() && !is_in(request.include)) continue;
        if (!request.exclude.empty() && is_in(request.exclude)) continue;
        terms[value].push_back(doc);
      }
    }
    std::vector<std::pair<PlainValue, Docs>> order(terms.begin(), terms.end());
    std::erase_if(order,
                  [&](const auto& term) { return term.second.size() < request.min_doc_count; });
    const bool by_key = !request.order.empty() && request.order[0].by == TermsOrder::By::kKey;
    std::stable_sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
      if (by_key) return request.order[0].descending ? a.first > b.first : a.first < b.first;
      return a.second.size() > b.second.size();
    });
    uint64_t others = 0;
    for (size_t i = request.size; i < order.size(); ++i) others += order[i].second.size();
    order.resize(std::min(order.size(), request.size));
    EXPECT_EQ(result.other_count, others);
    ASSERT_EQ(result.buckets.size(), order.size());
    for (size_t i = 0; i < order.size(); ++i) {
      ASSERT_EQ(PlainOf(result.buckets[i].key), order[i].first) << i;
      CheckBelow(request, order[i].second, result.buckets[i]);
    }
  }

  // The start of the bucket of a value; of calendars, by std::chrono.
  static long double StartOf(const Aggregation& request, FieldType type, long double value) {
    using std::chrono::floor;
    using std::chrono::nanoseconds;
    if (request.kind == AggregationKind::kDateHistogram &&
        request.date_interval->unit != CalendarUnit::kNone) {
      const std::chrono::sys_time<nanoseconds> time(nanoseconds(static_cast<int64_t>(value)));
      const auto day = floor<std::chrono::days>(time);
      const std::chrono::year_month_day date(day);
      auto start = std::chrono::sys_days(date.year() / date.month() / 1);
      if (request.date_interval->unit == CalendarUnit::kYear) {
        start = std::chrono::sys_days(date.year() / 1 / 1);
      }
      if (request.date_interval->unit == CalendarUnit::kWeek) {
        start = day - (std::chrono::weekday(day) - std::chrono::Monday);
      }
      return static_cast<long double>(
          std::chrono::sys_time<nanoseconds>(start).time_since_epoch().count());
    }
    const bool is_date = request.kind == AggregationKind::kDateHistogram;
    const long double interval =
        is_date ? static_cast<long double>(request.date_interval->count) : request.interval;
    const long double offset = is_date ? 0 : request.offset;
    if (type == FieldType::kF64) {
      return static_cast<long double>(
          std::floor(static_cast<double>(value - offset) / static_cast<double>(interval)) *
              static_cast<double>(interval) +
          static_cast<double>(offset));
    }
    const auto past = static_cast<__int128>(value) - static_cast<__int128>(offset);
    const auto length = static_cast<__int128>(interval);
    __int128 number = past / length;
    if (past % length < 0) --number;
    return static_cast<long double>(number * length + static_cast<__int128>(offset));
  }

  void CheckHistogram(const Aggregation& request, const Docs& docs,
                      const AggregationResult& result) const {
    std::map<long double, Docs> buckets;
    for (const uint64_t doc : docs) {
      std::set<long double> starts;
      for (const PlainValue& value : ValuesOf(request, doc)) {
        const auto number = std::get<long double>(value);
        if (!std::isfinite(number)) continue;
        starts.insert(StartOf(request, index_.column(request.field).type, number));
      }
      for (const long double start : starts) buckets[start].push_back(doc);
    }
    std::erase_if(buckets,
                  [&](const auto& bucket) { return bucket.second.size() < request.min_doc_count; });
    auto expected = buckets.begin();
    for (const AggregationBucket& bucket : result.buckets) {
      const auto start = std::get<long double>(PlainOf(bucket.key));
      if (bucket.count == 0) {
        ASSERT_EQ(request.min_doc_count, 0u);
        ASSERT_FALSE(buckets.contains(start));
        ASSERT_GT(start, buckets.begin()->first);
        ASSERT_LT(start, buckets.rbegin()->first);
        CheckBelow(request, {}, bucket);
        continue;
      }
      ASSERT_NE(expected, buckets.end());
      // The starts of i64 columns with a real interval are computed in doubles.
      ASSERT_NEAR(static_cast<double>(start), static_cast<double>(expected->first),
                  std::abs(static_cast<double>(start)) * 1e-15);
      CheckBelow(request, expected->second, bucket);
      ++expected;
    }
    EXPECT_EQ(expected, buckets.end());
  }

  void CheckRange(const Aggregation& request, const Docs& docs,
                  const AggregationResult& result) const {
    ASSERT_EQ(result.buckets.size(), request.ranges.size());
    for (size_t i = 0; i < request.ranges.size(); ++i) {
      const RequestedRange& range = request.ranges[i];
      Docs in;
      for (const uint64_t doc : docs) {
        const std::vector<PlainValue> values = ValuesOf(request, doc);
        if (std::any_of(values.begin(), values.end(), [&](const PlainValue& value) {
              const auto number = std::get<long double>(value);
              return (!range.from.has_value() || number >= std::stold(*range.from)) &&
                     (!range.to.has_value() || number < std::stold(*range.to));
            })) {
          in.push_back(doc);
        }
      }
      CheckBelow(request, in, result.buckets[i]);
    }
  }

  // The filters are the words w2, w7 and w300 of a ColumnIndex.
  void CheckFilters(const Aggregation& request, const Docs& docs,
                    const AggregationResult& result) const {
    ASSERT_EQ(result.buckets.size(), request.filters.size());
    for (size_t i = 0; i < request.filters.size(); ++i) {
      const uint64_t divisor = std::stoull(request.filters[i].name.substr(1));
      Docs in;
      for (const uint64_t doc : docs) {
        if (doc % divisor == 0) in.push_back(doc);
      }
      CheckBelow(request, in, result.buckets[i]);
    }
  }

  void CheckStats(const Aggregation& request, const Docs& docs,
                  const AggregationResult& result) const {
    const std::vector<long double> numbers = NumbersOf(request, docs);
    const StatsResult& stats = result.stats;
    ASSERT_EQ(stats.count, numbers.size());
    EXPECT_EQ(stats.min.missing, numbers.empty());
    if (numbers.empty()) return;
    EXPECT_EQ(std::get<long double>(PlainOf(stats.min)), numbers.front());
    EXPECT_EQ(std::get<long double>(PlainOf(stats.max)), numbers.back());
    long double sum = 0;
    long double size = 0;  // rounding is relative to the values, not to their sum
    for (const long double number : numbers) sum += number;
    for (const long double number : numbers) size += std::abs(number);
    if (!(size < 1e307L)) return;  // a sum of doubles is infinite then
    const bool is_date = result.type == FieldType::kDate;
    const auto found = std::get<long double>(PlainOf(stats.sum)) * (is_date ? 1e6L : 1.0L);
    EXPECT_LE(std::abs(found - sum), size * 1e-15L);
    const auto mean = std::get<long double>(PlainOf(stats.avg));
    EXPECT_LE(std::abs(mean - sum / static_cast<long double>(numbers.size())),
              size / static_cast<long double>(numbers.size()) * 1e-15L + (is_date ? 1 : 0));
  }

  void CheckCardinality(const Aggregation& request, const Docs& docs,
                        const AggregationResult& result) const {
    std::set<PlainValue> values;
    for (const uint64_t doc : docs) {
      for (const PlainValue& value : ValuesOf(request, doc)) values.insert(value);
    }
    EXPECT_EQ(result.exact, values.size() <= 4096);
    if (result.exact) {
      EXPECT_EQ(result.cardinality, values.size());
    } else {
      EXPECT_NEAR(static_cast<double>(result.cardinality), static_cast<double>(values.size()),
                  static_cast<double>(values.size()) * 0.02);
    }
  }

  void CheckPercentiles(const Aggregation& request, const Docs& docs,
                        const AggregationResult& result) const {
    const std::vector<long double> numbers = NumbersOf(request, docs);
    ASSERT_EQ(result.percentiles.size(), request.percents.size());
    for (size_t i = 0; i < request.percents.size(); ++i) {
      EXPECT_EQ(result.percentiles[i].missing, numbers.empty());
      if (numbers.empty()) continue;
      const auto found = std::get<long double>(PlainOf(result.percentiles[i]));
      const auto count = static_cast<double>(numbers.size());
      const double rank = request.percents[i] / 100 * (count - 1);
      const double error = result.exact ? 0 : count / 100;
      const auto low = static_cast<size_t>(std::max(0.0, std::floor(rank - error)));
      const auto high = std::min(numbers.size() - 1, static_cast<size_t>(std::ceil(rank + error)));
      const long double slack = (std::abs(numbers[low]) + std::abs(numbers[high])) * 1e-15L + 1e-9L;
      if (!std::isfinite(slack)) continue;
      EXPECT_GE(found, numbers[low] - slack);
      EXPECT_LE(found, numbers[high] + slack);
      if (!result.exact || !std::isfinite(found)) continue;
      const long double exact =
          numbers[low] +
          (numbers[high] - numbers[low]) * static_cast<long double>(rank - std::floor(rank));
      EXPECT_LE(std::abs(found - exact), slack + (result.type == FieldType::kDate ? 1 : 0));
    }
  }

  const ColumnIndex& index_;
};

}  // namespace pmdex
