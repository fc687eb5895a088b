#include "tools/server/search_field_options.h"

#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

#include "pmem/text.h"
#include "tools/facet_flag.h"
#include "tools/sort_values.h"

namespace pmdex {
namespace {

// The text of a parameter; of a key the text, or the texts of an array.
absl::StatusOr<std::vector<std::string>> TextsOf(std::string_view name, const RequestValue& value) {
  if (value.is_text) return std::vector<std::string>{value.text};
  std::vector<std::string> texts;
  if (!value.json->is_array()) return WrongValue(name, "a text, or a list of texts");
  for (const nlohmann::json& element : *value.json) {
    if (!element.is_string()) return WrongValue(name, "a text, or a list of texts");
    texts.push_back(element.get<std::string>());
  }
  return texts;
}

absl::Status TooMany(std::string_view name, size_t most) {
  return WrongValue(name, absl::StrCat("at most ", most));
}

absl::Status SetSort(const RequestValue& value, size_t most, FieldedSearch& search) {
  PMDEX_ASSIGN_OR_RETURN(const std::vector<std::string> texts, TextsOf("sort", value));
  std::vector<SortKey> keys;
  for (const std::string& text : texts) {
    PMDEX_ASSIGN_OR_RETURN(std::vector<SortKey> some, ParseSortKeys(text));
    std::move(some.begin(), some.end(), std::back_inserter(keys));
  }
  if (keys.size() > most) return TooMany("sort", most);
  search.options.sort = std::move(keys);
  return absl::OkStatus();
}

absl::Status SetAfter(const RequestValue& value, FieldedSearch& search) {
  const bool is_array = value.json != nullptr && value.json->is_array();
  if (!is_array && !value.is_text) return WrongValue("after", "the array \"sort\" of a hit");
  PMDEX_ASSIGN_OR_RETURN(search.options.sort_after,
                         ParseSortAfter(is_array ? value.json->dump() : value.text));
  return absl::OkStatus();
}

absl::Status SetFieldsOut(const RequestValue& value, size_t most, FieldedSearch& search) {
  PMDEX_ASSIGN_OR_RETURN(const std::vector<std::string> texts, TextsOf("fields_out", value));
  std::vector<std::string> fields;
  for (const std::string& text : texts) {
    for (const absl::string_view field : absl::StrSplit(text, ',', absl::SkipEmpty())) {
      fields.emplace_back(field);
    }
  }
  if (fields.size() > most) return TooMany("fields_out", most);
  search.options.fields_out = std::move(fields);
  return absl::OkStatus();
}

absl::Status AddFacets(const RequestValue& value, size_t most, FieldedSearch& search) {
  PMDEX_ASSIGN_OR_RETURN(const std::vector<std::string> texts, TextsOf("facet", value));
  if (value.json != nullptr) {
    search.facets.clear();
    search.options.aggregations.clear();
  }
  for (const std::string& text : texts) {
    PMDEX_ASSIGN_OR_RETURN(search.options.aggregations.emplace_back(), ParseFacet(text));
    search.facets.push_back(text);
  }
  if (search.facets.size() > most) return TooMany("facet", most);
  return absl::OkStatus();
}

void AppendText(std::string_view text, std::string& key) {
  absl::StrAppend(&key, text.size(), ":", ToAbsl(text));
}

bool IsPartOfAWord(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || static_cast<signed char>(c) < 0;
}

}  // namespace

absl::Status WrongValue(std::string_view name, std::string_view expected) {
  return InvalidArgument(absl::StrCat("'", ToAbsl(name), "': expected ", ToAbsl(expected)));
}

bool IsFieldOption(std::string_view name) {
  return name == "sort" || name == "after" || name == "facet" || name == "fields_out";
}

absl::Status SetFieldOption(std::string_view name, const RequestValue& value, size_t most,
                            FieldedSearch& search) {
  if (name == "sort") return SetSort(value, most, search);
  if (name == "after") return SetAfter(value, search);
  if (name == "facet") return AddFacets(value, most, search);
  return SetFieldsOut(value, most, search);
}

void AppendFieldOptions(const FieldedSearch& search, std::string& key) {
  const SearchOptions& options = search.options;
  absl::StrAppend(&key, options.sort.size(), ",", options.sort_after.size(), ",",
                  options.fields_out.size(), ",", search.facets.size(), "\n");
  for (const SortKey& sort : options.sort) {
    AppendText(sort.field, key);
    key += sort.descending ? '-' : '+';
  }
  for (const SortAfter& after : options.sort_after) {
    AppendText(after.text, key);
    key += after.missing ? '-' : '+';
  }
  for (const std::string& field : options.fields_out) AppendText(field, key);
  for (const std::string& facet : search.facets) AppendText(facet, key);
}

bool MayNameNow(std::string_view text) {
  // A backslash takes the special meaning from any character, and \u stands for any character.
  if (text.find("\\u") != text.npos) return true;
  std::string plain(text);
  std::erase(plain, '\\');
  constexpr std::string_view kNow = "now";
  for (size_t at = plain.find(kNow); at != plain.npos; at = plain.find(kNow, at + 1)) {
    if (at == 0 || !IsPartOfAWord(plain[at - 1])) return true;
  }
  return false;
}

}  // namespace pmdex
