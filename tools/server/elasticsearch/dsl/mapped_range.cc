#include "tools/server/elasticsearch/dsl/mapped_range.h"

#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

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
  DateBounds(const DateFormat& format, int zone_seconds, int64_t now, int64_t unit)
      : format_(format), zone_seconds_(zone_seconds), now_(now), unit_(unit) {}

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
    if (text.starts_with("now")) return WithMath(text, rounding);
    const size_t bars = text.find("||");
    const std::optional<FormattedDate> date = format_.Read(text.substr(0, bars));
    if (!date.has_value()) return std::nullopt;
    const WideNanoseconds shift =
        date->takes_zone ? WideNanoseconds{zone_seconds_} * kNanosecondsPerSecond : 0;
    if (bars == text.npos) {
      return (rounding == DateRounding::kEnd ? date->last : date->first) - shift;
    }
    const std::optional<int64_t> first = NarrowDate(date->first - shift);
    if (!first.has_value()) return std::nullopt;
    std::string whole = FormatDate(*first);
    if (whole.find('.') == whole.npos) whole.insert(whole.size() - 1, ".0");  // before the Z
    return WithMath(absl::StrCat(whole, ToAbsl(text.substr(bars))), rounding);
  }

  std::optional<WideNanoseconds> WithMath(std::string_view text, DateRounding rounding) const {
    const std::optional<DateBound> bound = ParseDateBound(text, now_, rounding);
    if (!bound.has_value()) return std::nullopt;
    return bound->nanoseconds + bound->beyond * kBeyond;
  }

  const DateFormat& format_;
  int zone_seconds_;
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
  return MakeDateRange(DateBounds(format, reading.zone_seconds, now, field.date_unit()), low, high);
}

}  // namespace pmdex
