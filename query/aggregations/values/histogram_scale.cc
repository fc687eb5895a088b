#include "query/aggregations/values/histogram_scale.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/columns/column_key.h"
#include "engine/columns/date_text.h"
#include "query/aggregations/values/key_number.h"

namespace pmdex {
namespace {

Wide FloorDivide(Wide a, Wide b) {
  const Wide quotient = a / b;
  return quotient - (a % b < 0 ? 1 : 0);
}

DocValue IntegerValue(Wide value) {
  DocValue made;
  if (value >= std::numeric_limits<int64_t>::min() &&
      value <= std::numeric_limits<int64_t>::max()) {
    made.bits = std::bit_cast<uint64_t>(static_cast<int64_t>(value));
  } else if (value >= 0 && value <= Wide{std::numeric_limits<uint64_t>::max()}) {
    made.type = FieldType::kU64;
    made.bits = static_cast<uint64_t>(value);
  } else {
    made.type = FieldType::kF64;
    made.bits = std::bit_cast<uint64_t>(static_cast<double>(value));
  }
  return made;
}

bool IsInteger(double value) {
  return std::floor(value) == value && std::abs(value) < 0x1p62;
}

// The seconds that the zone is ahead of UTC, if it always is.
std::optional<int64_t> FixedOffset(const absl::TimeZone& zone) {
  const bool is_fixed = zone == absl::UTCTimeZone() || zone.name().rfind("Fixed/UTC", 0) == 0;
  if (!is_fixed) return std::nullopt;
  return zone.At(absl::UnixEpoch()).offset;
}

// The length of a unit in a zone with a fixed offset; 0 if it differs.
int64_t LengthOf(const DateInterval& interval) {
  constexpr int64_t kMinute = 60 * kNanosecondsPerSecond;
  switch (interval.unit) {
    case CalendarUnit::kNone:
      return interval.count;
    case CalendarUnit::kMinute:
      return kMinute;
    case CalendarUnit::kHour:
      return 60 * kMinute;
    case CalendarUnit::kDay:
      return 24 * 60 * kMinute;
    case CalendarUnit::kWeek:
      return 7 * 24 * 60 * kMinute;
    default:
      return 0;
  }
}

absl::Status NoInterval(const Aggregation& aggregation) {
  return InvalidArgument("the interval of a histogram of " + aggregation.field +
                         " must be greater than 0");
}

}  // namespace

DocValue ValueOfKey(FieldType type, uint64_t key) {
  DocValue value;
  value.type = type;
  value.bits = BitsOfKey(type, key);
  return value;
}

HistogramScale HistogramScale::OfIntegers(FieldType type, uint64_t interval, int64_t offset) {
  HistogramScale scale(Kind::kInteger, type);
  scale.integers_.interval = interval;
  const Wide past = Wide{offset} % Wide{interval};
  scale.integers_.offset = static_cast<int64_t>(past < 0 ? past + Wide{interval} : past);
  // The least bucket number of the type then has a key from 0 on.
  scale.integers_.bias =
      type != FieldType::kU64 ? kKeySignBit : (scale.integers_.offset != 0 ? 1 : 0);
  return scale;
}

absl::StatusOr<HistogramScale> HistogramScale::OfDates(const Aggregation& aggregation) {
  constexpr int64_t kFirstMonday = 4 * 24 * 60 * 60 * kNanosecondsPerSecond;  // after 1970-01-01
  const DateInterval& interval = *aggregation.date_interval;
  if (interval.count <= 0) return NoInterval(aggregation);
  const std::optional<int64_t> zone_offset = FixedOffset(interval.zone);
  const int64_t length = LengthOf(interval);
  if (zone_offset.has_value() && length > 0) {
    const int64_t monday = interval.unit == CalendarUnit::kWeek ? kFirstMonday : 0;
    return OfIntegers(
        FieldType::kDate, static_cast<uint64_t>(length),
        interval.offset % length + monday % length - *zone_offset * kNanosecondsPerSecond % length);
  }
  HistogramScale scale(Kind::kCalendar, FieldType::kDate);
  scale.dates_ = interval;
  return scale;
}

absl::StatusOr<HistogramScale> HistogramScale::Create(const Aggregation& aggregation,
                                                      FieldType type) {
  if (aggregation.kind == AggregationKind::kDateHistogram) {
    if (type != FieldType::kDate) {
      return InvalidArgument("the field " + aggregation.field +
                             " has no dates (hint: a histogram counts numbers)");
    }
    return OfDates(aggregation);
  }
  if (!IsNumber(type)) {
    return InvalidArgument("the field " + aggregation.field + " has no numbers" +
                           (type == FieldType::kDate ? " (hint: date_histogram)" : ""));
  }
  const double interval = aggregation.interval;
  if (!(interval > 0) || !std::isfinite(interval) || !std::isfinite(aggregation.offset)) {
    return NoInterval(aggregation);
  }
  if (type != FieldType::kF64 && IsInteger(interval) && IsInteger(aggregation.offset)) {
    return OfIntegers(type, static_cast<uint64_t>(interval),
                      static_cast<int64_t>(aggregation.offset));
  }
  HistogramScale scale(Kind::kReal, type);
  scale.interval_ = interval;
  scale.offset_ = aggregation.offset;
  return scale;
}

// Of a finite value. A quotient beyond all doubles is cut off, so that every bucket has a start.
uint64_t HistogramScale::RealBucketOf(double value) const {
  constexpr double kMost = std::numeric_limits<double>::max();
  const double number = std::clamp(std::floor((value - offset_) / interval_), -kMost, kMost);
  return KeyOfF64(number + 0.0);  // adding 0.0 turns -0.0 into 0.0, which is the same bucket
}

uint64_t HistogramScale::BucketOf(uint64_t value_key) const {
  switch (kind_) {
    case Kind::kInteger: {
      const Wide number =
          FloorDivide(WideOfKey(type_, value_key) - integers_.offset, Wide{integers_.interval});
      return static_cast<uint64_t>(number + Wide{integers_.bias});
    }
    case Kind::kReal: {
      const double value = DoubleOfKey(type_, value_key);
      return std::isfinite(value) ? RealBucketOf(value) : kNoBucket;
    }
    default:
      return KeyOfI64(StartOfInterval(dates_, I64OfKey(value_key)));
  }
}

DocValue HistogramScale::StartOf(uint64_t bucket) const {
  DocValue start;
  switch (kind_) {
    case Kind::kInteger: {
      const Wide value =
          (Wide{bucket} - Wide{integers_.bias}) * Wide{integers_.interval} + integers_.offset;
      if (type_ != FieldType::kDate) return IntegerValue(value);
      start.type = FieldType::kDate;
      const Wide least = std::numeric_limits<int64_t>::min();
      const Wide greatest = std::numeric_limits<int64_t>::max();
      start.bits =
          std::bit_cast<uint64_t>(static_cast<int64_t>(std::clamp(value, least, greatest)));
      return start;
    }
    case Kind::kReal:
      start.type = FieldType::kF64;
      start.bits = std::bit_cast<uint64_t>(F64OfKey(bucket) * interval_ + offset_);
      return start;
    default:
      return ValueOfKey(FieldType::kDate, bucket);
  }
}

uint64_t HistogramScale::Next(uint64_t bucket) const {
  switch (kind_) {
    case Kind::kInteger:
      return bucket + 1;
    case Kind::kReal:
      return KeyOfF64(F64OfKey(bucket) + 1);
    default:
      return KeyOfI64(NextInterval(dates_, I64OfKey(bucket)));
  }
}

uint64_t HistogramScale::BucketOfBound(double bound) const {
  if (kind_ == Kind::kReal) return RealBucketOf(bound);
  if (type_ == FieldType::kU64) {
    return BucketOf(bound <= 0 ? 0 : bound >= 0x1p64 ? UINT64_MAX : static_cast<uint64_t>(bound));
  }
  const double floor = std::floor(bound);
  if (floor >= 0x1p63) return BucketOf(KeyOfI64(std::numeric_limits<int64_t>::max()));
  if (floor < -0x1p63) return BucketOf(KeyOfI64(std::numeric_limits<int64_t>::min()));
  return BucketOf(KeyOfI64(static_cast<int64_t>(floor)));
}

}  // namespace pmdex
