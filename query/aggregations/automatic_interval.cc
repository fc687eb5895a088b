#include "query/aggregations/automatic_interval.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/columns/column_key.h"
#include "query/aggregations/values/histogram_scale.h"

namespace pmdex {
namespace {

constexpr int64_t kDayNanoseconds = 86'400'000'000'000;

double RealOf(const DocValue& value) {
  if (value.type == FieldType::kF64) return value.f64();
  return value.type == FieldType::kU64 ? static_cast<double>(value.bits)
                                       : static_cast<double>(value.i64());
}

// True if at most kMostAutomaticBuckets buckets cover the values.
bool IsLongEnough(const StatsResult& stats, FieldType type, const Aggregation& request) {
  const auto scale = HistogramScale::Create(request, type);
  if (!scale.ok()) return true;  // the caller reports the error
  const uint64_t first = scale->BucketOf(KeyOfBits(type, stats.min.bits));
  const uint64_t last = scale->BucketOf(KeyOfBits(type, stats.max.bits));
  if (scale->kind() == HistogramScale::Kind::kInteger) return last - first < kMostAutomaticBuckets;
  return F64OfKey(last) - F64OfKey(first) < static_cast<double>(kMostAutomaticBuckets);
}

void SettleNumber(const StatsResult& stats, FieldType type, Aggregation& request) {
  request.interval = 1;
  if (stats.count == 0) return;
  // Halves, because the span itself may be beyond the greatest double.
  const double half_span = RealOf(stats.max) / 2 - RealOf(stats.min) / 2;
  if (!std::isfinite(half_span) || half_span <= 0) return;
  constexpr int kLeastPower = std::numeric_limits<double>::min_exponent10;
  const double width = half_span / (static_cast<double>(kMostAutomaticBuckets) / 2);
  const int first_power =
      width > 0 ? std::max(static_cast<int>(std::floor(std::log10(width))), kLeastPower)
                : kLeastPower;
  const bool is_integer = type != FieldType::kF64;
  for (int power = is_integer ? std::max(first_power, 0) : first_power;; ++power) {
    for (const int digit : {1, 2, 5}) {
      request.interval = power >= 0 ? digit * std::pow(10, power) : digit / std::pow(10, -power);
      if (IsLongEnough(stats, type, request)) return;
    }
  }
}

}  // namespace

bool NeedsInterval(const Aggregation& request) {
  return (request.kind == AggregationKind::kHistogram && request.interval == 0) ||
         (request.kind == AggregationKind::kDateHistogram && !request.date_interval.has_value());
}

void SettleInterval(const StatsResult& stats, FieldType type, Aggregation& request) {
  if (request.kind == AggregationKind::kHistogram) return SettleNumber(stats, type, request);
  request.date_interval = DateInterval{CalendarUnit::kNone, kDayNanoseconds};
  if (stats.count == 0 || type != FieldType::kDate) return;
  request.date_interval =
      ChooseDateInterval(stats.min.i64(), stats.max.i64(), kMostAutomaticBuckets);
}

}  // namespace pmdex
