#include "tools/server/elasticsearch/aggregations/aggregation_options.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"

#include "pmem/text.h"
#include "tools/server/elasticsearch/api_error.h"
#include "tools/server/elasticsearch/api_table.h"
#include "tools/server/elasticsearch/parameters.h"

namespace pmdex {
namespace {

constexpr size_t kMostPercents = 1000;

// A calendar interval by its name in Elasticsearch; nullopt if there is no such one.
std::optional<DateInterval> CalendarIntervalNamed(std::string_view name) {
  struct Named {
    std::string_view word;
    std::string_view letter;
    CalendarUnit unit;
    int64_t count;
  };
  constexpr Named kNamed[] = {
      {"minute", "1m", CalendarUnit::kMinute, 1}, {"hour", "1h", CalendarUnit::kHour, 1},
      {"day", "1d", CalendarUnit::kDay, 1},       {"week", "1w", CalendarUnit::kWeek, 1},
      {"month", "1M", CalendarUnit::kMonth, 1},   {"quarter", "1q", CalendarUnit::kMonth, 3},
      {"year", "1y", CalendarUnit::kYear, 1}};
  for (const Named& named : kNamed) {
    if (name == named.word || name == named.letter) return DateInterval{named.unit, named.count};
  }
  return std::nullopt;
}

absl::StatusOr<uint64_t> ReadNatural(const char* key, const Json& options, uint64_t otherwise) {
  if (!options.contains(key)) return otherwise;
  PMDEX_ASSIGN_OR_RETURN(const int64_t number, JsonInteger(key, options[key]));
  if (number >= 0) return static_cast<uint64_t>(number);
  return BadArgument(
      absl::StrCat("[", key, "] must be greater than or equal to 0. Found [", number, "]"));
}

absl::StatusOr<bool> ReadKeyed(const Json& options, bool otherwise) {
  if (!options.contains("keyed")) return otherwise;
  return JsonSwitch("keyed", options["keyed"]);
}

// A string is an expression, a list has values.
absl::StatusOr<KeywordChoice> ReadChoice(const char* key, const Json& options) {
  KeywordChoice choice;
  if (!options.contains(key)) return choice;
  const Json& value = options[key];
  if (value.is_string()) {
    choice.regexp = value.get<std::string>();
    if (!choice.regexp.empty()) return choice;
    // No expression at all matches the empty value alone.
    choice.is_list = true;
    choice.values.emplace_back();
    return choice;
  }
  choice.is_list = true;
  if (!value.is_array()) {
    return BadArgument(absl::StrCat("[", key, "] must be a string or a list of values"));
  }
  for (const Json& element : value) {
    PMDEX_ASSIGN_OR_RETURN(choice.values.emplace_back(), JsonText(key, element));
  }
  return choice;
}

absl::Status ReadDateInterval(const Json& options, DateInterval& interval) {
  const bool has_calendar = options.contains("calendar_interval");
  if (has_calendar == options.contains("fixed_interval")) {
    return BadArgument(
        "Invalid interval specified, must be non-null and non-empty: one of [calendar_interval] "
        "and [fixed_interval]");
  }
  const char* const key = has_calendar ? "calendar_interval" : "fixed_interval";
  PMDEX_ASSIGN_OR_RETURN(const std::string text, JsonText(key, options[key]));
  if (has_calendar) {
    const std::optional<DateInterval> named = CalendarIntervalNamed(text);
    if (!named.has_value()) {
      return BadArgument(absl::StrCat("The supplied interval [", text,
                                      "] could not be parsed as a calendar interval."));
    }
    interval = *named;
    return absl::OkStatus();
  }
  const std::optional<int64_t> fixed = ParseFixedInterval(text);
  if (!fixed.has_value()) {
    return BadArgument(
        absl::StrCat("failed to parse setting [date_histogram.fixedInterval] with value [", text,
                     "] as a time value"));
  }
  interval = DateInterval{CalendarUnit::kNone, *fixed};
  return absl::OkStatus();
}

absl::Status ReadOffset(const Json& options, DateInterval& interval) {
  if (!options.contains("offset")) return absl::OkStatus();
  PMDEX_ASSIGN_OR_RETURN(const std::string text, JsonText("offset", options["offset"]));
  std::string_view rest = text;
  const bool is_negative = rest.starts_with('-');
  if (is_negative || rest.starts_with('+')) rest.remove_prefix(1);
  const std::optional<int64_t> offset = ParseFixedInterval(rest);
  if (!offset.has_value() && rest != "0") {
    return BadArgument(absl::StrCat("failed to parse [offset] with value [", text, "]"));
  }
  interval.offset = is_negative ? -offset.value_or(0) : offset.value_or(0);
  return absl::OkStatus();
}

absl::Status ReadFormat(const Json& options, ApiAggregation& shown) {
  if (!options.contains("format")) return absl::OkStatus();
  PMDEX_ASSIGN_OR_RETURN(const std::string format, JsonText("format", options["format"]));
  PMDEX_RETURN_IF_ERROR(CheckTextLength("format", format));
  PMDEX_ASSIGN_OR_RETURN(shown.format, DatePattern::Parse(format));
  return absl::OkStatus();
}

// The number that a path such as "prices.max" or "price.50" names of an aggregation.
std::optional<MetricName> MetricOf(std::string_view type, std::string_view part) {
  using Part = MetricName::Part;
  const auto named = [](std::string_view name) -> std::optional<MetricName> {
    if (name == "min") return MetricName{Part::kMin, 0};
    if (name == "max") return MetricName{Part::kMax, 0};
    if (name == "avg") return MetricName{Part::kAvg, 0};
    if (name == "sum") return MetricName{Part::kSum, 0};
    if (name == "count" || name == "value_count") return MetricName{Part::kCount, 0};
    if (name == "cardinality") return MetricName{Part::kCardinality, 0};
    return std::nullopt;
  };
  if (type == "stats") return named(part);
  if (type == "filter" && (part.empty() || part == "_count")) return MetricName{Part::kCount, 0};
  double percent = 0;
  if (type == "percentiles" && absl::SimpleAtod(ToAbsl(part), &percent)) {
    return MetricName{Part::kPercentile, percent};
  }
  return part.empty() || part == "value" ? named(type) : std::nullopt;
}

// Follows a path such as "cheap>prices.max", whose aggregations before ">" have a single bucket.
// False if it does not lead to a number.
bool FollowOrderPath(std::string_view path, const std::vector<ApiAggregation>& below,
                     TermsOrder& order) {
  for (size_t i = 0; i < below.size(); ++i) {
    if (!path.starts_with(below[i].name)) continue;
    const std::string_view rest = path.substr(below[i].name.size());
    order.path.push_back(i);
    if (rest.starts_with('>') && below[i].type == "filter" &&
        FollowOrderPath(rest.substr(1), below[i].below, order)) {
      return true;
    }
    if (rest.empty() || rest.starts_with('.')) {
      const std::optional<MetricName> metric =
          MetricOf(below[i].type, rest.empty() ? rest : rest.substr(1));
      if (metric.has_value()) {
        order.metric = *metric;
        return true;
      }
    }
    order.path.pop_back();
  }
  return false;
}

absl::StatusOr<TermsOrder> ReadOrderKey(const std::string& path, const Json& direction,
                                        const ApiAggregation& shown) {
  TermsOrder order;
  PMDEX_ASSIGN_OR_RETURN(const std::string word, JsonText("order", direction));
  if (word != "asc" && word != "desc") {
    return BadArgument(absl::StrCat("Unknown order direction [", word, "]"));
  }
  order.descending = word == "desc";
  if (path == "_count") return order;
  order.by = TermsOrder::By::kKey;
  if (path == "_key") return order;
  order.by = TermsOrder::By::kMetric;
  if (FollowOrderPath(path, shown.below, order)) return order;
  return ApiError(400, "aggregation_execution_exception",
                  absl::StrCat("Invalid aggregation order path [", path, "]"));
}

}  // namespace

absl::Status CheckTextLength(const char* what, std::string_view text) {
  constexpr size_t kMostBytes = 1024;
  if (text.size() <= kMostBytes) return absl::OkStatus();
  return BadArgument(
      absl::StrCat("[", what, "] of an aggregation must have at most ", kMostBytes, " bytes"));
}

absl::Status CheckExtendedBounds(const Json& options, Aggregation& computed) {
  const Json& value = options["extended_bounds"];
  if (!value.is_object()) return BadArgument("[extended_bounds] needs an object");
  PMDEX_RETURN_IF_ERROR(CheckKeys(value, "min max", "extended_bounds"));
  const auto has = [&value](const char* end) {
    return value.contains(end) && !value[end].is_null();
  };
  HistogramBounds& bounds = computed.extended_bounds.emplace();
  bounds.bounds_begin = has("min");
  bounds.bounds_end = has("max");
  return absl::OkStatus();
}

absl::Status ReversedBounds(const Json& bounds, std::string_view name) {
  return BadArgument(absl::StrCat("[extended_bounds.min][", ToJsonText(bounds["min"]),
                                  "] cannot be greater than ", "[extended_bounds.max][",
                                  ToJsonText(bounds["max"]), "] for histogram aggregation named [",
                                  ToAbsl(name), "]"));
}

absl::Status ReadTermsOptions(const Json& options, Aggregation& computed) {
  PMDEX_ASSIGN_OR_RETURN(computed.size, ReadNatural("size", options, computed.size));
  if (computed.size == 0) {
    return BadArgument(
        absl::StrCat("[size] must be greater than 0. Found [0] in [", computed.name, "]"));
  }
  if (computed.size > INT32_MAX) {
    return BadArgument(absl::StrCat("[size] is too large. Found [", computed.size, "]"));
  }
  computed.dates_by_millisecond = true;
  PMDEX_ASSIGN_OR_RETURN(computed.min_doc_count, ReadNatural("min_doc_count", options, 1));
  PMDEX_ASSIGN_OR_RETURN(computed.include, ReadChoice("include", options));
  PMDEX_ASSIGN_OR_RETURN(computed.exclude, ReadChoice("exclude", options));
  if (options.contains("missing")) {
    PMDEX_ASSIGN_OR_RETURN(computed.missing, JsonText("missing", options["missing"]));
  }
  return absl::OkStatus();
}

absl::Status ReadTermsOrder(const Json& order, const ApiAggregation& shown, Aggregation& computed) {
  const Json list = order.is_array() ? order : Json::array({order});
  if (list.empty()) return BadArgument("[order] needs a path with its direction");
  for (const Json& element : list) {
    if (!element.is_object() || element.size() != 1) {
      return BadArgument("[order] needs one path with its direction");
    }
    PMDEX_ASSIGN_OR_RETURN(computed.order.emplace_back(),
                           ReadOrderKey(element.begin().key(), element.begin().value(), shown));
  }
  return absl::OkStatus();
}

absl::Status ReadHistogramOptions(const Json& options, ApiAggregation& shown,
                                  Aggregation& computed) {
  if (!options.contains("interval"))
    return BadArgument("[interval] must be >0 for histogram aggregation");
  PMDEX_ASSIGN_OR_RETURN(computed.interval, JsonNumber("interval", options["interval"]));
  if (!(computed.interval > 0))
    return BadArgument("[interval] must be >0 for histogram aggregation");
  if (options.contains("offset")) {
    PMDEX_ASSIGN_OR_RETURN(computed.offset, JsonNumber("offset", options["offset"]));
  }
  PMDEX_ASSIGN_OR_RETURN(computed.min_doc_count, ReadNatural("min_doc_count", options, 0));
  PMDEX_ASSIGN_OR_RETURN(shown.keyed, ReadKeyed(options, false));
  if (!options.contains("extended_bounds")) return absl::OkStatus();
  PMDEX_RETURN_IF_ERROR(CheckExtendedBounds(options, computed));
  const Json& value = options["extended_bounds"];
  HistogramBounds& bounds = *computed.extended_bounds;
  if (bounds.bounds_begin) {
    PMDEX_ASSIGN_OR_RETURN(bounds.min, JsonNumber("min", value["min"]));
  }
  if (bounds.bounds_end) {
    PMDEX_ASSIGN_OR_RETURN(bounds.max, JsonNumber("max", value["max"]));
  }
  const bool is_reversed = bounds.bounds_begin && bounds.bounds_end && bounds.min > bounds.max;
  return is_reversed ? ReversedBounds(value, computed.name) : absl::OkStatus();
}

absl::Status ReadDateHistogramOptions(const Json& options, ApiAggregation& shown,
                                      Aggregation& computed) {
  DateInterval interval;
  PMDEX_RETURN_IF_ERROR(ReadDateInterval(options, interval));
  PMDEX_RETURN_IF_ERROR(ReadOffset(options, interval));
  if (options.contains("time_zone")) {
    PMDEX_ASSIGN_OR_RETURN(const std::string name, JsonText("time_zone", options["time_zone"]));
    const std::optional<absl::TimeZone> zone = ParseTimeZone(name);
    if (!zone.has_value()) {
      return BadArgument(absl::StrCat("Unknown time-zone ID: ", name));
    }
    shown.zone = interval.zone = *zone;
  }
  computed.date_interval = interval;
  PMDEX_ASSIGN_OR_RETURN(computed.min_doc_count, ReadNatural("min_doc_count", options, 0));
  PMDEX_ASSIGN_OR_RETURN(shown.keyed, ReadKeyed(options, false));
  return ReadFormat(options, shown);
}

absl::Status ReadRangeOptions(const Json& options, ApiAggregation& shown, Aggregation& computed) {
  if (!options.contains("ranges") || !options["ranges"].is_array() || options["ranges"].empty()) {
    return BadArgument(
        absl::StrCat("No [ranges] specified for the [", shown.name, "] aggregation"));
  }
  for (const Json& range : options["ranges"]) {
    if (!range.is_object()) return BadArgument("[ranges] needs objects");
    PMDEX_RETURN_IF_ERROR(CheckKeys(range, "key from to", "ranges"));
    RequestedRange& text = computed.ranges.emplace_back();
    for (const char* const end : {"from", "to"}) {
      if (!range.contains(end) || range[end].is_null()) continue;
      auto& bound = end[0] == 'f' ? text.from : text.to;
      PMDEX_ASSIGN_OR_RETURN(bound, JsonText(end, range[end]));
    }
    std::string& key = shown.keys.emplace_back();
    if (range.contains("key")) {
      PMDEX_ASSIGN_OR_RETURN(key, JsonText("key", range["key"]));
      PMDEX_RETURN_IF_ERROR(CheckTextLength("key", key));
    }
  }
  PMDEX_RETURN_IF_ERROR(ReadFormat(options, shown));
  PMDEX_ASSIGN_OR_RETURN(shown.keyed, ReadKeyed(options, false));
  return absl::OkStatus();
}

absl::Status ReadPercentilesOptions(const Json& options, ApiAggregation& shown,
                                    Aggregation& computed) {
  computed.percents = {1, 5, 25, 50, 75, 95, 99};
  PMDEX_ASSIGN_OR_RETURN(shown.keyed, ReadKeyed(options, true));
  if (!options.contains("percents")) return absl::OkStatus();
  if (!options["percents"].is_array() || options["percents"].empty()) {
    return BadArgument("[percents] must not be empty");
  }
  if (options["percents"].size() > kMostPercents) {
    return BadArgument(absl::StrCat("[percents] must have at most ", kMostPercents, " values"));
  }
  computed.percents.clear();
  for (const Json& element : options["percents"]) {
    PMDEX_ASSIGN_OR_RETURN(const double percent, JsonNumber("percents", element));
    if (!(percent >= 0 && percent <= 100)) {
      return BadArgument(
          absl::StrCat("percent must be in [0,100], got [", percent, "]: [", shown.name, "]"));
    }
    computed.percents.push_back(percent);
  }
  std::sort(computed.percents.begin(), computed.percents.end());
  return absl::OkStatus();
}

}  // namespace pmdex
