#include "tools/server/elasticsearch/dsl/mapped_range.h"

#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/civil_time.h"

#include "engine/columns/column_key.h"
#include "engine/columns/date_math.h"
#include "engine/columns/date_text.h"
#include "pmem/text.h"
#include "tools/server/mapping/value_reader.h"

namespace pmdex {
namespace {

constexpr WideNanoseconds kBeyond = WideNanoseconds{INT64_MAX} * 4;

class DateBounds {
 public:
  DateBounds(const DateReading& reading, const DateFormat& format, int64_t now, int64_t unit)
      : format_(format), zone_(reading.zone), now_(now), unit_(unit) {}

  // The first time that the bound lets in; nullopt if the text is no date.
  std::optional<WideNanoseconds> Low(const BoundText& bound) const {
    const auto moment =
        Moment(bound.text, bound.inclusive ? DateRounding::kStart : DateRounding::kEnd);
    if (!moment.has_value()) return std::nullopt;
    return Floor(*moment) + (bound.inclusive ? 0 : unit_);
  }
  // The last time that it lets in.
  std::optional<WideNanoseconds> High(const BoundText& bound) const {
    const auto moment =
        Moment(bound.text, bound.inclusive ? DateRounding::kEnd : DateRounding::kStart);
    if (!moment.has_value()) return std::nullopt;
    return Floor(*moment) - (bound.inclusive ? 0 : unit_);
  }

 private:
  WideNanoseconds Floor(WideNanoseconds moment) const {
    const WideNanoseconds rest = moment % unit_;
    return moment - rest - (rest < 0 ? unit_ : 0);
  }

  std::optional<WideNanoseconds> Moment(std::string_view text, DateRounding rounding) const {
    constexpr std::string_view kNow = "now";
    if (text.starts_with(kNow)) return WithMath(now_, text.substr(kNow.size()), rounding);
    const size_t bars = text.find("||");
    const std::optional<FormattedDate> date = format_.Read(text.substr(0, bars));
    if (!date.has_value()) return std::nullopt;
    const bool is_end = bars == text.npos && rounding == DateRounding::kEnd;
    WideNanoseconds moment = is_end ? date->last : date->first;
    if (date->takes_zone) moment = TimeInZone(moment, zone_);
    if (bars == text.npos) return moment;
    const std::optional<int64_t> narrow = NarrowDate(moment);
    if (!narrow.has_value()) return std::nullopt;
    return WithMath(*narrow, text.substr(bars + 2), rounding);
  }

  // Days, months and years that are rounded to are those of the zone.
  std::optional<WideNanoseconds> WithMath(int64_t time, std::string_view math,
                                          DateRounding rounding) const {
    const bool is_local = math.find('/') != math.npos && zone_ != absl::UTCTimeZone();
    const std::string text = absl::StrCat("now", ToAbsl(math));
    const std::optional<DateBound> bound =
        ParseDateBound(text, is_local ? LocalTime(time) : time, rounding);
    if (!bound.has_value()) return std::nullopt;
    if (bound->beyond != 0) return bound->nanoseconds + bound->beyond * kBeyond;
    return is_local ? TimeInZone(bound->nanoseconds, zone_) : WideNanoseconds{bound->nanoseconds};
  }

  // What the zone shows at this time.
  int64_t LocalTime(int64_t time) const {
    const int64_t seconds = zone_.At(absl::FromUnixNanos(time)).offset;
    int64_t local = 0;
    return __builtin_add_overflow(time, seconds * kNanosecondsPerSecond, &local) ? time : local;
  }

  const DateFormat& format_;
  absl::TimeZone zone_;
  int64_t now_;
  int64_t unit_;
};

RangeOutcome MakeDateRange(const DateBounds& bounds, const std::optional<BoundText>& low,
                           const std::optional<BoundText>& high) {
  WideNanoseconds first = INT64_MIN;
  WideNanoseconds last = INT64_MAX;
  RangeOutcome outcome;
  outcome.range.type = FieldType::kDate;
  if (low.has_value()) {
    const auto begin = bounds.Low(*low);
    if (!begin.has_value()) outcome.bad = BadBound::kLow;
    first = std::max(first, begin.value_or(first));
  }
  if (high.has_value() && outcome.bad == BadBound::kNone) {
    const auto end = bounds.High(*high);
    if (!end.has_value()) outcome.bad = BadBound::kHigh;
    last = std::min(last, end.value_or(last));
  }
  const bool is_empty = first > last;
  outcome.range.low = is_empty ? 1 : KeyOfI64(static_cast<int64_t>(first));
  outcome.range.high = is_empty ? 0 : KeyOfI64(static_cast<int64_t>(last));
  return outcome;
}

// The number as the field would hold it.
void RoundToFloat(std::optional<BoundText>& bound) {
  if (!bound.has_value()) return;
  const std::optional<float> number = ReadFloat(bound->text);
  if (!number.has_value() || std::isinf(*number)) return;
  bound->text = absl::StrFormat("%.17g", static_cast<double>(*number));
}

}  // namespace

WideNanoseconds TimeInZone(WideNanoseconds local, const absl::TimeZone& zone) {
  constexpr int64_t kMostSeconds = int64_t{10'000} * 366 * 86'400;  // beyond the years of dates
  WideNanoseconds second = local / kNanosecondsPerSecond;
  if (local % kNanosecondsPerSecond < 0) --second;
  if (second < -kMostSeconds || second > kMostSeconds) return local;
  const absl::CivilSecond shown = absl::CivilSecond(1970) + static_cast<int64_t>(second);
  const WideNanoseconds begin = absl::ToUnixSeconds(zone.At(shown).pre);
  return begin * kNanosecondsPerSecond + (local - second * kNanosecondsPerSecond);
}

std::optional<WideNanoseconds> ReadDateWithMath(std::string_view text, const DateReading& reading,
                                                int64_t now) {
  return DateBounds(reading, *reading.format, now, 1).Low(BoundText{std::string(text), true});
}

bool HasMappedRange(const MappedField& field) {
  if (field.is_found) return false;
  return IsDate(field.type) || field.type == MappedType::kFloat;
}

RangeOutcome MakeMappedRange(const MappedField& field, std::optional<BoundText> low,
                             std::optional<BoundText> high, int64_t now,
                             const DateReading& reading) {
  if (field.type == MappedType::kFloat) {
    RoundToFloat(low);
    RoundToFloat(high);
    return MakeRange(FieldType::kF64, low, high, now);
  }
  const DateFormat& format = reading.format == nullptr ? *field.format : *reading.format;
  return MakeDateRange(DateBounds(reading, format, now, field.date_unit()), low, high);
}

}  // namespace pmdex
