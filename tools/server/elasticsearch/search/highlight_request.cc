#include "tools/server/elasticsearch/search/highlight_request.h"

#include <utility>

#include "absl/strings/str_cat.h"

#include "tools/server/elasticsearch/api_error.h"
#include "tools/server/elasticsearch/api_table.h"
#include "tools/server/elasticsearch/parameters.h"

namespace pmdex {
namespace {

constexpr int64_t kMostCharacters = int64_t{1} << 30;

absl::Status ReadSize(const Json& options, const char* name, size_t& size) {
  if (!options.contains(name)) return absl::OkStatus();
  PMDEX_ASSIGN_OR_RETURN(const int64_t number, JsonInteger(name, options[name]));
  if (number < 0 || number > kMostCharacters) {
    return BadArgument(absl::StrCat("[", name, "] cannot be ", number));
  }
  size = static_cast<size_t>(number);
  return absl::OkStatus();
}

absl::Status ReadTags(const Json& options, const char* name, std::vector<std::string>& tags) {
  if (!options.contains(name)) return absl::OkStatus();
  PMDEX_ASSIGN_OR_RETURN(tags, JsonTexts(name, options[name]));
  return tags.empty() ? BadArgument(absl::StrCat("[", name, "] cannot be empty"))
                      : absl::OkStatus();
}

absl::Status ReadOptions(const Json& options, HighlightField& field) {
  PMDEX_RETURN_IF_ERROR(ReadTags(options, "pre_tags", field.pre_tags));
  PMDEX_RETURN_IF_ERROR(ReadTags(options, "post_tags", field.post_tags));
  if (options.contains("pre_tags") && !options.contains("post_tags")) {
    return ApiError(400, "parsing_exception", "pre_tags are set but post_tags are not set");
  }
  PMDEX_RETURN_IF_ERROR(ReadSize(options, "fragment_size", field.fragment_size));
  PMDEX_RETURN_IF_ERROR(ReadSize(options, "number_of_fragments", field.number_of_fragments));
  PMDEX_RETURN_IF_ERROR(ReadSize(options, "no_match_size", field.no_match_size));
  if (options.contains("require_field_match")) {
    PMDEX_ASSIGN_OR_RETURN(field.require_field_match,
                           JsonSwitch("require_field_match", options["require_field_match"]));
  }
  return absl::OkStatus();
}

absl::StatusOr<HighlightField> ReadField(const std::string& pattern, const Json& options,
                                         const HighlightField& common) {
  if (!options.is_object()) {
    return ApiError(400, "parsing_exception",
                    absl::StrCat("[highlight] the options of [", pattern, "] are no object"));
  }
  PMDEX_RETURN_IF_ERROR(CheckKeys(options, kHighlightFieldKeys, "[highlight_field]"));
  HighlightField field = common;
  field.pattern = pattern;
  PMDEX_RETURN_IF_ERROR(ReadOptions(options, field));
  return field;
}

}  // namespace

absl::StatusOr<std::vector<HighlightField>> ReadHighlight(const Json& value) {
  if (!value.is_object()) return ApiError(400, "parsing_exception", "[highlight] takes an object");
  PMDEX_RETURN_IF_ERROR(CheckKeys(value, kHighlightKeys, "[highlight]"));
  HighlightField common;
  PMDEX_RETURN_IF_ERROR(ReadOptions(value, common));
  std::vector<HighlightField> fields;
  if (!value.contains("fields")) return fields;
  // An object, or a list of objects where the order of the fields matters.
  const Json list = value["fields"].is_array() ? value["fields"] : Json::array({value["fields"]});
  for (const Json& part : list) {
    if (!part.is_object()) {
      return ApiError(400, "parsing_exception", "[highlight] [fields] takes objects");
    }
    for (const auto& [pattern, options] : part.items()) {
      PMDEX_ASSIGN_OR_RETURN(HighlightField field, ReadField(pattern, options, common));
      fields.push_back(std::move(field));
    }
  }
  return fields;
}

}  // namespace pmdex
