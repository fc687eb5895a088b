#include "tools/server/elasticsearch/search/search_sort.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

#include "tools/server/elasticsearch/api_error.h"
#include "tools/server/elasticsearch/api_table.h"
#include "tools/server/elasticsearch/parameters.h"

namespace pmdex {
namespace {

constexpr float kScoreOfDocOrder = 1.0f;  // that of every match when hits are in index order

absl::Status CheckOrder(const std::string& field, const std::string& order) {
  const std::string lower = absl::AsciiStrToLower(order);
  if (lower != "asc" && lower != "desc") {
    return BadArgument(absl::StrCat("No enum constant SortOrder.", absl::AsciiStrToUpper(order)));
  }
  if ((field == "_score") == (lower == "desc")) return absl::OkStatus();
  return BadArgument(
      absl::StrCat("[sort] by [", field, "] does not support the order [", lower, "]"));
}

absl::StatusOr<SearchSortKey> ReadKey(const std::string& field) {
  if (field == "_score") return SearchSortKey::kScore;
  if (field == "_doc") return SearchSortKey::kDoc;
  return BadArgument(absl::StrCat("No mapping found for [", field, "] in order to sort on"));
}

absl::StatusOr<SearchSortKey> ReadElement(const Json& element) {
  if (element.is_string()) return ReadKey(element.get<std::string>());
  if (!element.is_object() || element.size() != 1) {
    return ApiError(400, "parsing_exception", "malformed sort format");
  }
  const std::string& field = element.begin().key();
  const Json& options = element.begin().value();
  PMDEX_ASSIGN_OR_RETURN(const SearchSortKey key, ReadKey(field));
  if (options.is_object()) {
    PMDEX_RETURN_IF_ERROR(CheckKeys(options, "order", absl::StrCat("[sort] by [", field, "]")));
    if (!options.contains("order")) return key;
  }
  const Json& order = options.is_object() ? options["order"] : options;
  PMDEX_ASSIGN_OR_RETURN(const std::string text, JsonText("order", order));
  PMDEX_RETURN_IF_ERROR(CheckOrder(field, text));
  return key;
}

}  // namespace

bool SearchSort::has_score() const {
  return std::find(keys.begin(), keys.end(), SearchSortKey::kScore) != keys.end();
}

absl::StatusOr<SearchSort> ReadSort(const Json& value) {
  const Json list = value.is_array() ? value : Json::array({value});
  SearchSort sort;
  for (const Json& element : list) {
    PMDEX_ASSIGN_OR_RETURN(const SearchSortKey key, ReadElement(element));
    sort.keys.push_back(key);
  }
  if (sort.keys.size() == 1 && sort.keys[0] == SearchSortKey::kScore) sort.keys.clear();
  return sort;
}

absl::StatusOr<SearchPlace> ReadSearchAfter(const Json& value, const SearchSort& sort) {
  if (!value.is_array() || value.empty()) {
    return BadArgument("[search_after] takes a list of values");
  }
  if (sort.keys.empty()) return BadArgument("Sort must contain at least one field.");
  if (value.size() != sort.keys.size()) {
    return BadArgument(absl::StrCat("search_after has ", value.size(), " value(s) but sort has ",
                                    sort.keys.size(), "."));
  }
  SearchPlace place{kScoreOfDocOrder, UINT64_MAX};
  for (size_t i = 0; i < value.size(); ++i) {
    if (sort.keys[i] == SearchSortKey::kScore) {
      PMDEX_ASSIGN_OR_RETURN(const double score, JsonNumber("search_after", value[i]));
      if (!sort.by_doc()) place.score = static_cast<float>(score);
    } else {
      PMDEX_ASSIGN_OR_RETURN(const int64_t doc, JsonInteger("search_after", value[i]));
      if (doc < 0) return BadArgument("[search_after] takes no negative document");
      place.doc = static_cast<uint64_t>(doc);
    }
  }
  return place;
}

Json SortValues(const SearchSort& sort, float score, uint64_t doc) {
  Json values = Json::array();
  for (const SearchSortKey key : sort.keys) {
    values.push_back(key == SearchSortKey::kScore ? JsonFloat(score) : Json(doc));
  }
  return values;
}

}  // namespace pmdex
