#include "tools/server/elasticsearch/dsl/column_queries.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"

#include "engine/columns/column_key.h"
#include "engine/columns/date_text.h"
#include "pmem/text.h"
#include "query/aggregations/values/date_interval.h"
#include "query/columns/column_range.h"
#include "query/columns/value_bounds.h"
#include "tools/server/elasticsearch/api_error.h"
#include "tools/server/elasticsearch/api_table.h"
#include "tools/server/elasticsearch/dsl/field_types.h"
#include "tools/server/elasticsearch/dsl/mapped_range.h"
#include "tools/server/elasticsearch/parameters.h"

namespace pmdex {
namespace {

QueryPtr RangeLeaf(std::string_view field, std::string_view text, ColumnRange range) {
  QueryPtr leaf = FieldLeaf(QueryKind::kRange, field, text);
  leaf->range = std::make_shared<const ColumnRange>(std::move(range));
  return leaf;
}

std::string WhyBadDate(const DateFormat& format, std::string_view text) {
  const std::string why = absl::StrCat("failed to parse date field [", ToAbsl(text),
                                       "] with format [", format.text(), "]");
  return absl::StrCat(why, ": [", why, "]");
}

// Of a range.
absl::Status BadDate(const DslScope& scope, const DateFormat& format, std::string_view text) {
  return ShardError("parse_exception", WhyBadDate(format, text), scope.index().name);
}

absl::Status BadValue(const DslScope& scope, FieldType type, std::string_view field,
                      std::string_view text) {
  const MappedField* const mapped = scope.index().MappedOf(field);
  if (mapped != nullptr && mapped->format != nullptr && HasMappedRange(*mapped)) {
    return ShardError("query_shard_exception",
                      "failed to create query: " + WhyBadDate(*mapped->format, text),
                      scope.index().name);
  }
  const std::string reason =
      type == FieldType::kDate
          ? absl::StrCat("failed to parse date field [", ToAbsl(text),
                         "] with format [strict_date_optional_time||epoch_millis]")
      : type == FieldType::kBool ? absl::StrCat("Can't parse boolean value [", ToAbsl(text),
                                                "], expected [true] or [false]")
                                 : absl::StrCat("For input string: \"", ToAbsl(text), "\"");
  return ShardError("query_shard_exception",
                    absl::StrCat("failed to create query: [", ToAbsl(field), "] ", reason),
                    scope.index().name);
}

// The formats that say nothing else than what dates are read as anyway.
absl::Status CheckFormat(const Json& options) {
  if (!options.contains("format")) return absl::OkStatus();
  PMDEX_ASSIGN_OR_RETURN(const std::string formats, JsonText("format", options["format"]));
  for (const absl::string_view format : absl::StrSplit(formats, "||")) {
    if (!HasWord("strict_date_optional_time date_optional_time strict_date_optional_time_nanos "
                 "epoch_millis date strict_date date_time strict_date_time yyyy-MM-dd yyyy-MM yyyy",
                 ToStd(format))) {
      return BadArgument(absl::StrCat("[range] query does not support the format [", format, "]"));
    }
  }
  return absl::OkStatus();
}

// The time_zone of the options; UTC without one.
absl::StatusOr<absl::TimeZone> ReadZone(const Json& options) {
  if (!options.contains("time_zone")) return absl::UTCTimeZone();
  PMDEX_ASSIGN_OR_RETURN(const std::string text, JsonText("time_zone", options["time_zone"]));
  const std::optional<absl::TimeZone> zone = ParseTimeZone(text);
  if (zone.has_value()) return *zone;
  return BadArgument(absl::StrCat("[range] query does not support the time_zone [", text,
                                  "]: it takes an offset such as [+02:00] or a name such as "
                                  "[Europe/Berlin]"));
}

// True for a date without a zone of its own, to which time_zone applies.
bool TakesZone(std::string_view text) {
  const std::optional<DateText> date = ParseDateText(text.substr(0, text.find("||")));
  return date.has_value() && !date->has_zone;
}

// A bound of a date at the time of a zone. A bound that is no date, but the end of all dates,
// stays.
void ShiftKey(uint64_t& key, const absl::TimeZone& zone) {
  const std::optional<int64_t> shifted = NarrowDate(TimeInZone(I64OfKey(key), zone));
  if (shifted.has_value() && key != 0 && key != UINT64_MAX) key = KeyOfI64(*shifted);
}

// Of two bounds at the same end, the later one counts.
absl::StatusOr<std::optional<BoundText>> ReadBound(const Json& options, std::string_view exclusive,
                                                   std::string_view inclusive) {
  std::optional<BoundText> bound;
  for (const auto& [key, value] : options.items()) {
    if (key != exclusive && key != inclusive) continue;
    bound.reset();
    if (value.is_null()) continue;
    PMDEX_ASSIGN_OR_RETURN(std::string text, JsonText(key, value));
    bound = BoundText{std::move(text), key == inclusive};
  }
  return bound;
}

struct Bounds {
  std::optional<BoundText> low;
  std::optional<BoundText> high;
};

// The range of a date that the mapping declares, with the format and the zone of the query.
absl::StatusOr<ColumnRange> ReadMappedDates(const DslScope& scope, const MappedField& field,
                                            const Bounds& bounds, const Json& options) {
  DateFormat format = *field.format;
  DateReading reading{&format};
  if (options.contains("format")) {
    PMDEX_ASSIGN_OR_RETURN(const std::string text, JsonText("format", options["format"]));
    PMDEX_ASSIGN_OR_RETURN(format, DateFormat::Parse(text));
  }
  PMDEX_ASSIGN_OR_RETURN(reading.zone, ReadZone(options));
  RangeOutcome outcome =
      MakeMappedRange(field, bounds.low, bounds.high, scope.index().columns.now, reading);
  if (outcome.bad == BadBound::kLow) return BadDate(scope, format, bounds.low->text);
  if (outcome.bad == BadBound::kHigh) return BadDate(scope, format, bounds.high->text);
  return std::move(outcome.range);
}

absl::Status ApplyZone(const Json& options, const Bounds& bounds, ColumnRange& range) {
  PMDEX_ASSIGN_OR_RETURN(const absl::TimeZone zone, ReadZone(options));
  if (range.type != FieldType::kDate || range.low > range.high) return absl::OkStatus();
  if (bounds.low.has_value() && TakesZone(bounds.low->text)) ShiftKey(range.low, zone);
  if (bounds.high.has_value() && TakesZone(bounds.high->text)) ShiftKey(range.high, zone);
  return absl::OkStatus();
}

std::string InWords(const Bounds& bounds) {
  const auto text = [](const std::optional<BoundText>& bound) {
    return bound.has_value() ? bound->text : std::string("*");
  };
  return absl::StrCat(bounds.low.has_value() && !bounds.low->inclusive ? "{" : "[",
                      text(bounds.low), " TO ", text(bounds.high),
                      bounds.high.has_value() && !bounds.high->inclusive ? "}" : "]");
}

}  // namespace

QueryOr ReadRange(DslScope& scope, std::string_view field, const Json& options) {
  Bounds bounds;
  PMDEX_ASSIGN_OR_RETURN(bounds.low, ReadBound(options, "gt", "gte"));
  PMDEX_ASSIGN_OR_RETURN(bounds.high, ReadBound(options, "lt", "lte"));
  PMDEX_RETURN_IF_ERROR(scope.Count(1));
  const std::optional<FieldType> type = scope.index().columns.TypeOf(field);
  if (!type.has_value()) return QueryOfKind(QueryKind::kNone);
  if (*type == FieldType::kText) {
    return BadArgument(absl::StrCat("[range] query does not support the field [", ToAbsl(field),
                                    "] of type [text]"));
  }
  const MappedField* const mapped = scope.index().MappedOf(field);
  if (mapped != nullptr && IsDate(mapped->type) && HasMappedRange(*mapped)) {
    PMDEX_ASSIGN_OR_RETURN(ColumnRange range, ReadMappedDates(scope, *mapped, bounds, options));
    return RangeLeaf(field, InWords(bounds), std::move(range));
  }
  PMDEX_RETURN_IF_ERROR(CheckFormat(options));
  RangeOutcome outcome = scope.index().columns.RangeOf(field, *type, bounds.low, bounds.high);
  if (outcome.bad == BadBound::kLow) return BadValue(scope, *type, field, bounds.low->text);
  if (outcome.bad == BadBound::kHigh) return BadValue(scope, *type, field, bounds.high->text);
  PMDEX_RETURN_IF_ERROR(ApplyZone(options, bounds, outcome.range));
  return RangeLeaf(field, InWords(bounds), std::move(outcome.range));
}

QueryOr ColumnTerm(DslScope& scope, std::string_view field, std::string_view text) {
  const FieldType type = *scope.ColumnTypeOf(field);
  RangeOutcome outcome = scope.index().columns.EqualityOf(field, type, text);
  if (outcome.bad != BadBound::kNone) return BadValue(scope, type, field, text);
  return RangeLeaf(field, text, std::move(outcome.range));
}

absl::Status NoQueryOfColumn(DslScope& scope, std::string_view kind, std::string_view field) {
  const FieldType type = *scope.ColumnTypeOf(field);
  const absl::string_view has = type == FieldType::kKeyword ? "text" : "keyword and text";
  return ShardError(
      "query_shard_exception",
      absl::StrCat("Can only use ", ToAbsl(kind), " queries on ", has, " fields - not on [",
                   ToAbsl(field), "] which is of type [", MappedTypeName(type), "]"),
      scope.index().name);
}

absl::Status NotOfIds(const DslScope& scope, std::string_view kind) {
  return ShardError("query_shard_exception",
                    absl::StrCat("Can only use ", ToAbsl(kind),
                                 " queries on keyword and text fields - not on [_id] which is of "
                                 "type [_id]"),
                    scope.index().name);
}

QueryOr ColumnPrefix(DslScope& scope, std::string_view field, std::string_view text) {
  if (scope.ColumnTypeOf(field) != FieldType::kKeyword) {
    return NoQueryOfColumn(scope, "prefix", field);
  }
  return RangeLeaf(field, absl::StrCat(ToAbsl(text), "*"), MakePrefix(text));
}

QueryOr ColumnWildcard(DslScope& scope, std::string_view field, std::string_view pattern) {
  if (scope.ColumnTypeOf(field) != FieldType::kKeyword) {
    return NoQueryOfColumn(scope, "wildcard", field);
  }
  if (pattern.empty()) return QueryOfKind(QueryKind::kNone);
  return RangeLeaf(field, pattern, MakeWildcard(pattern));
}

QueryPtr ColumnExists(DslScope& scope, std::string_view field) {
  const FieldType type = *scope.ColumnTypeOf(field);
  return RangeLeaf(field, "*", MakeRange(type, std::nullopt, std::nullopt, 0).range);
}

}  // namespace pmdex
