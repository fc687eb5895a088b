#include "tools/server/elasticsearch/parameters.h"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"

#include "pmem/text.h"
#include "tools/server/elasticsearch/api_error.h"
#include "tools/server/elasticsearch/api_route.h"
#include "tools/server/elasticsearch/api_table.h"

namespace pmdex {
namespace {

template <typename T>
std::optional<T> NumberOf(std::string_view text) {
  T number{};
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return number;
}

absl::Status Unfit(std::string_view what, std::string_view name, std::string_view value) {
  return BadArgument(absl::StrCat("Failed to parse ", ToAbsl(what), " parameter [", ToAbsl(name),
                                  "] with value [", ToAbsl(value), "]"));
}

}  // namespace

absl::Status Parameters::CheckNames(std::string_view known, std::string_view also_known) const {
  std::string unknown;
  size_t count = 0;
  for (const auto& [name, value] : request_.parameters) {
    if (HasWord(known, name) || HasWord(also_known, name)) continue;
    absl::StrAppend(&unknown, count++ == 0 ? "[" : ", [", name, "]");
  }
  if (count == 0) return absl::OkStatus();
  return BadArgument(absl::StrCat("request [", UriOf(request_), "] contains unrecognized parameter",
                                  count == 1 ? "" : "s", ": ", unknown));
}

std::optional<std::string_view> Parameters::Text(std::string_view name) const {
  std::optional<std::string_view> text;
  for (const auto& [key, value] : request_.parameters) {
    if (key == name) text = value;
  }
  return text;
}

absl::StatusOr<bool> Parameters::Switch(std::string_view name, bool otherwise) const {
  const std::optional<std::string_view> text = Text(name);
  if (!text.has_value()) return otherwise;
  if (text->empty() || *text == "true") return true;
  if (*text == "false") return false;
  return BadArgument(absl::StrCat("Failed to parse value [", ToAbsl(*text), "] of [", ToAbsl(name),
                                  "] as only [true] or [false] are allowed."));
}

absl::StatusOr<std::optional<int64_t>> Parameters::Integer(std::string_view name) const {
  const std::optional<std::string_view> text = Text(name);
  if (!text.has_value()) return std::optional<int64_t>();
  const std::optional<int64_t> number = NumberOf<int64_t>(*text);
  if (!number.has_value()) return Unfit("int", name, *text);
  return number;
}

absl::StatusOr<std::optional<std::chrono::milliseconds>> Parameters::Time(
    std::string_view name) const {
  const std::optional<std::string_view> text = Text(name);
  if (!text.has_value()) return std::optional<std::chrono::milliseconds>();
  PMDEX_ASSIGN_OR_RETURN(const std::chrono::milliseconds time, ParseTime(name, *text));
  return std::optional<std::chrono::milliseconds>(time);
}

std::vector<std::string> Parameters::List(std::string_view name) const {
  return SplitAtCommas(Text(name).value_or(""));
}

std::vector<std::string> SplitAtCommas(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const size_t end = text.find(',');
    if (end != 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return parts;
}

absl::StatusOr<std::chrono::milliseconds> ParseTime(std::string_view name, std::string_view text) {
  struct Unit {
    std::string_view name;
    double milliseconds;
  };
  constexpr std::array<Unit, 7> kUnits = {{{"nanos", 1e-6},
                                           {"micros", 1e-3},
                                           {"ms", 1},
                                           {"s", 1e3},
                                           {"m", 60e3},
                                           {"h", 3600e3},
                                           {"d", 86400e3}}};
  if (text == "-1" || text == "0") return std::chrono::milliseconds(0);
  for (const Unit& unit : kUnits) {
    if (!text.ends_with(unit.name)) continue;
    const auto number = NumberOf<double>(text.substr(0, text.size() - unit.name.size()));
    if (!number.has_value() || !(*number >= 0) || *number * unit.milliseconds > 1e15) continue;
    return std::chrono::milliseconds(std::llround(std::ceil(*number * unit.milliseconds)));
  }
  return BadArgument(absl::StrCat("failed to parse setting [", ToAbsl(name), "] with value [",
                                  ToAbsl(text),
                                  "] as a time value: unit is missing or unrecognized"));
}

absl::StatusOr<bool> JsonSwitch(std::string_view name, const Json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value == "true") return true;
  if (value == "false") return false;
  return BadArgument(absl::StrCat("[", ToAbsl(name), "] takes only [true] or [false]"));
}

absl::StatusOr<int64_t> JsonInteger(std::string_view name, const Json& value) {
  if (value.is_number_unsigned() && value.get<uint64_t>() <= INT64_MAX) return value.get<int64_t>();
  if (value.is_number_integer() && !value.is_number_unsigned()) return value.get<int64_t>();
  if (value.is_number_float() && std::fabs(value.get<double>()) < 1e18) {
    return static_cast<int64_t>(value.get<double>());
  }
  if (value.is_string()) {
    if (const auto number = NumberOf<int64_t>(value.get_ref<const std::string&>())) return *number;
  }
  return ApiError(400, "number_format_exception",
                  absl::StrCat("[", ToAbsl(name), "] takes a whole number"));
}

absl::StatusOr<double> JsonNumber(std::string_view name, const Json& value) {
  std::optional<double> number;
  if (value.is_number()) number = value.get<double>();
  if (value.is_string()) number = NumberOf<double>(value.get_ref<const std::string&>());
  if (number.has_value() && std::isfinite(*number)) return *number;
  return ApiError(400, "number_format_exception",
                  absl::StrCat("[", ToAbsl(name), "] takes a number"));
}

absl::StatusOr<std::string> JsonText(std::string_view name, const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number() || value.is_boolean()) return ToJsonText(value);
  return ApiError(400, "parsing_exception", absl::StrCat("[", ToAbsl(name), "] takes a string"));
}

absl::StatusOr<std::vector<std::string>> JsonTexts(std::string_view name, const Json& value) {
  std::vector<std::string> texts;
  if (!value.is_array()) {
    PMDEX_ASSIGN_OR_RETURN(std::string text, JsonText(name, value));
    texts.push_back(std::move(text));
    return texts;
  }
  for (const Json& element : value) {
    PMDEX_ASSIGN_OR_RETURN(std::string text, JsonText(name, element));
    texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace pmdex
