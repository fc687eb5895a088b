#include "tools/server/elasticsearch/aggregations/aggregation_dates.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"

#include "engine/columns/date_math.h"
#include "engine/columns/date_text.h"
#include "pmem/text.h"
#include "tools/server/elasticsearch/aggregations/aggregation_options.h"
#include "tools/server/elasticsearch/api_error.h"
#include "tools/server/elasticsearch/dsl/mapped_range.h"
#include "tools/server/elasticsearch/parameters.h"

namespace pmdex {
namespace {

// The format of the dates of a request; nullopt if neither the request nor a mapping names one.
absl::StatusOr<std::optional<DateFormat>> FormatOfRequest(const DslIndex& index,
                                                          std::string_view field,
                                                          const Json& options) {
  if (options.contains("format")) {
    PMDEX_ASSIGN_OR_RETURN(const std::string text, JsonText("format", options["format"]));
    PMDEX_ASSIGN_OR_RETURN(DateFormat format, DateFormat::Parse(text));
    return std::optional<DateFormat>(std::move(format));
  }
  const MappedField* const mapped = index.MappedOf(field);
  if (mapped == nullptr || mapped->is_found || mapped->format == nullptr) {
    return std::optional<DateFormat>();
  }
  return std::optional<DateFormat>(*mapped->format);
}

// In nanoseconds since 1970; what lies beyond all dates becomes the nearest one.
absl::StatusOr<int64_t> ReadFormatted(const DslIndex& index, const DateFormat& format,
                                      const absl::TimeZone& zone, std::string_view text) {
  const auto moment = ReadDateWithMath(text, DateReading{&format, zone}, index.columns.now);
  if (!moment.has_value()) {
    const std::string why = absl::StrCat("failed to parse date field [", ToAbsl(text),
                                         "] with format [", format.text(), "]");
    return ShardError("parse_exception", absl::StrCat(why, ": [", why, "]"), index.name);
  }
  const WideNanoseconds least = std::numeric_limits<int64_t>::min();
  const WideNanoseconds greatest = std::numeric_limits<int64_t>::max();
  return static_cast<int64_t>(std::clamp(*moment, least, greatest));
}

// True if a date says which zone it is in: behind its hours, as 2026-01-31T10:00Z does.
bool HasZone(std::string_view date) {
  const size_t time = date.find_first_of("T ");
  return time != date.npos && date.find_first_of("Z+-", time) != date.npos;
}

// Date math in the zone, or milliseconds.
absl::StatusOr<int64_t> ReadAnyForm(const DslIndex& index, const std::string& text,
                                    const absl::TimeZone& zone) {
  const std::string_view date = std::string_view(text).substr(0, text.find("||"));
  const bool is_number = !date.empty() && date.find_first_not_of("-0123456789") == date.npos &&
                         date.find('-', 1) == date.npos;
  const bool is_local = !is_number && !HasZone(date);
  // What the zone shows is read as if it were UTC.
  const absl::Time now = absl::FromUnixNanos(index.columns.now);
  const absl::Duration ahead = absl::Seconds(is_local ? zone.At(now).offset : 0);
  const std::optional<DateBound> bound =
      ParseDateBound(text, absl::ToUnixNanos(now + ahead), DateRounding::kStart);
  if (!bound.has_value()) {
    return BadArgument(absl::StrCat("failed to parse date field [", text, "]"));
  }
  if (!is_local || bound->beyond != 0) return bound->nanoseconds;
  const absl::Time shown = absl::FromUnixNanos(bound->nanoseconds);
  const absl::TimeZone::CivilInfo local = absl::UTCTimeZone().At(shown);
  return absl::ToUnixNanos(zone.At(local.cs).pre + local.subsecond);
}

absl::StatusOr<int64_t> ReadExtendedDate(const DslIndex& index,
                                         const std::optional<DateFormat>& format,
                                         const absl::TimeZone& zone, const Json& value) {
  PMDEX_ASSIGN_OR_RETURN(const std::string text, JsonText("extended_bounds", value));
  // As in real nodes, numbers are milliseconds whatever the format.
  return format.has_value() && !value.is_number() ? ReadFormatted(index, *format, zone, text)
                                                  : ReadAnyForm(index, text, zone);
}

}  // namespace

absl::Status ReadDateRanges(const DslIndex& index, const Json& options, bool reads_numbers,
                            Aggregation& computed) {
  if (index.columns.TypeOf(computed.field) != FieldType::kDate) return absl::OkStatus();
  const auto is_read = [&](size_t i, const char* key) {
    const Json& range = options["ranges"][i];
    return range.contains(key) && (reads_numbers || !range[key].is_number());
  };
  PMDEX_ASSIGN_OR_RETURN(const std::optional<DateFormat> format,
                         FormatOfRequest(index, computed.field, options));
  if (!format.has_value()) return absl::OkStatus();
  for (size_t i = 0; i < computed.ranges.size(); ++i) {
    RequestedRange& range = computed.ranges[i];
    for (auto& [key, bound] : {std::pair{"from", &range.from}, std::pair{"to", &range.to}}) {
      if (!bound->has_value() || !is_read(i, key)) continue;
      PMDEX_ASSIGN_OR_RETURN(const int64_t time,
                             ReadFormatted(index, *format, absl::UTCTimeZone(), **bound));
      *bound = FormatDate(time);
    }
  }
  return absl::OkStatus();
}

absl::Status ReadExtendedDates(const DslIndex& index, const Json& options,
                               const absl::TimeZone& zone, Aggregation& computed) {
  if (!options.contains("extended_bounds")) return absl::OkStatus();
  PMDEX_RETURN_IF_ERROR(CheckExtendedBounds(options, computed));
  const Json& value = options["extended_bounds"];
  PMDEX_ASSIGN_OR_RETURN(const std::optional<DateFormat> format,
                         FormatOfRequest(index, computed.field, options));
  HistogramBounds& bounds = *computed.extended_bounds;
  if (bounds.bounds_begin) {
    PMDEX_ASSIGN_OR_RETURN(bounds.first, ReadExtendedDate(index, format, zone, value["min"]));
  }
  if (bounds.bounds_end) {
    PMDEX_ASSIGN_OR_RETURN(bounds.last, ReadExtendedDate(index, format, zone, value["max"]));
  }
  const bool is_reversed = bounds.bounds_begin && bounds.bounds_end && bounds.first > bounds.last;
  return is_reversed ? ReversedBounds(value, computed.name) : absl::OkStatus();
}

}  // namespace pmdex
