#include "tools/server/elasticsearch/search/source_filter.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/server/elasticsearch/api_error.h"
#include "tools/server/elasticsearch/api_table.h"
#include "tools/server/elasticsearch/name_pattern.h"

namespace pmdex {
namespace {

// True if the pattern could match a path below this one.
bool MayMatchBelow(std::string_view pattern, std::string_view path) {
  // How much of the pattern may stand for the beginning of the path.
  std::vector<bool> reached(pattern.size() + 1);
  const auto skip_stars = [&] {
    for (size_t i = 0; i < pattern.size(); ++i) {
      if (reached[i] && pattern[i] == '*') reached[i + 1] = true;
    }
  };
  reached[0] = true;
  skip_stars();
  const auto step = [&](char c) {
    std::vector<bool> next(pattern.size() + 1);
    for (size_t i = 0; i < pattern.size(); ++i) {
      if (!reached[i]) continue;
      if (pattern[i] == '*') next[i] = true;
      if (pattern[i] == c) next[i + 1] = true;
    }
    reached = std::move(next);
    skip_stars();
  };
  for (const char c : path) step(c);
  step('.');
  return std::find(reached.begin(), reached.end(), true) != reached.end();
}

bool ExcludesBelow(const SourceFilter& filter, std::string_view path) {
  return std::any_of(filter.excludes.begin(), filter.excludes.end(),
                     [&](const std::string& pattern) { return MayMatchBelow(pattern, path); });
}

// What the filter leaves of the value at this path; nullopt if nothing. included: the path or one
// above it is included.
std::optional<Json> Keep(const Json& value, const std::string& path, bool included,
                         const SourceFilter& filter) {
  if (value.is_object()) {
    Json kept = Json::object();
    for (const auto& [key, member] : value.items()) {
      const std::string inner = path.empty() ? key : path + "." + key;
      if (MatchesAnyNamePattern(filter.excludes, inner)) continue;
      const bool is_included = included || MatchesAnyNamePattern(filter.includes, inner);
      std::optional<Json> part = Keep(member, inner, is_included, filter);
      if (part.has_value()) kept[key] = *std::move(part);
    }
    if (!included && kept.empty()) return std::nullopt;
    return kept;
  }
  if (value.is_array()) {
    Json kept = Json::array();
    // As in real nodes, a list in which something may be left out has no empty objects or lists.
    const bool drops_empty = ExcludesBelow(filter, path);
    for (const Json& element : value) {
      std::optional<Json> part = Keep(element, path, included, filter);
      const bool is_empty = part.has_value() && part->is_structured() && part->empty();
      if (part.has_value() && !(is_empty && drops_empty)) kept.push_back(*std::move(part));
    }
    if (!included && kept.empty()) return std::nullopt;
    return kept;
  }
  if (!included) return std::nullopt;
  return value;
}

}  // namespace

absl::StatusOr<SourceFilter> ReadSourceFilter(const Json& value) {
  SourceFilter filter;
  if (value.is_boolean()) {
    filter.shown = value.get<bool>();
  } else if (value.is_string() || value.is_array()) {
    PMDEX_ASSIGN_OR_RETURN(filter.includes, JsonTexts("_source", value));
  } else if (value.is_object()) {
    PMDEX_RETURN_IF_ERROR(CheckKeys(value, "includes include excludes exclude", "[_source]"));
    for (const auto& [key, patterns] : value.items()) {
      auto& list = key.starts_with("in") ? filter.includes : filter.excludes;
      if (!patterns.is_string() && !patterns.is_array()) {
        return ApiError(400, "parsing_exception",
                        absl::StrCat("[_source] takes a pattern or a list of them in [", key, "]"));
      }
      PMDEX_ASSIGN_OR_RETURN(list, JsonTexts(key, patterns));
    }
  } else {
    return ApiError(400, "parsing_exception",
                    "[_source] takes true, false, patterns, or includes and excludes");
  }
  return filter;
}

absl::StatusOr<SourceFilter> ReadSourceFilter(const Parameters& parameters,
                                              SourceFilter otherwise) {
  SourceFilter filter = std::move(otherwise);
  if (const auto text = parameters.Text("_source")) {
    filter = SourceFilter();
    if (*text == "false") {
      filter.shown = false;
    } else if (*text != "true" && !text->empty()) {
      filter.includes = SplitAtCommas(*text);
    }
  }
  for (auto* list : {&filter.includes, &filter.excludes}) {
    const auto name = list == &filter.includes ? "_source_includes" : "_source_excludes";
    const std::vector<std::string> patterns = parameters.List(name);
    if (!patterns.empty()) *list = patterns;
  }
  return filter;
}

Json FilteredSource(std::string_view source, const SourceFilter& filter) {
  if (filter.whole()) return RawJson(source);
  Json value = RawJson(source);
  ParseRawJson(value);
  return Keep(value, "", filter.includes.empty(), filter).value_or(Json::object());
}

}  // namespace pmdex
