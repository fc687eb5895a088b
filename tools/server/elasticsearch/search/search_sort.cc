#include "tools/server/elasticsearch/search/search_sort.h"

#include <algorithm>
#include <cmath>
#include <compare>
#include <limits>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

#include "engine/columns/date_text.h"
#include "engine/columns/value_parser.h"
#include "tools/json_writer.h"
#include "tools/server/elasticsearch/api_error.h"
#include "tools/server/elasticsearch/api_table.h"
#include "tools/server/elasticsearch/parameters.h"

namespace pmdex {
namespace {

constexpr float kScoreOfDocOrder = 1.0f;  // that of every match when hits are in index order
constexpr int64_t kNanosecondsOfMillisecond = 1'000'000;

bool IsField(const SortKey& key) {
  return key.field != "_score" && key.field != "_doc";
}

absl::Status ReadOrder(const Json& value, SortKey& key) {
  PMDEX_ASSIGN_OR_RETURN(const std::string order, JsonText("order", value));
  const std::string lower = absl::AsciiStrToLower(order);
  if (lower != "asc" && lower != "desc") {
    return BadArgument(absl::StrCat("No enum constant SortOrder.", absl::AsciiStrToUpper(order)));
  }
  key.descending = lower == "desc";
  return absl::OkStatus();
}

// What has one meaning here is taken where it has that one.
absl::Status CheckWord(const Json& options, const char* option, std::string_view only,
                       const std::string& where) {
  if (!options.contains(option)) return absl::OkStatus();
  PMDEX_ASSIGN_OR_RETURN(const std::string word, JsonText(option, options[option]));
  if (word == only) return absl::OkStatus();
  return BadArgument(absl::StrCat(where, " does not support [", option, "] [", word, "]"));
}

absl::Status ReadOptions(const Json& options, SortKey& key) {
  const std::string where = absl::StrCat("[sort] by [", key.field, "]");
  PMDEX_RETURN_IF_ERROR(CheckKeys(options, IsField(key) ? "order missing mode" : "order", where));
  if (options.contains("order")) PMDEX_RETURN_IF_ERROR(ReadOrder(options["order"], key));
  PMDEX_RETURN_IF_ERROR(CheckWord(options, "missing", "_last", where));
  return CheckWord(options, "mode", key.descending ? "max" : "min", where);
}

// Adds the key of a name, or those of an object, whose order counts.
absl::Status ReadElement(const Json& element, std::vector<SortKey>& keys) {
  const auto key_of = [](const std::string& field) { return SortKey{field, field == "_score"}; };
  if (element.is_string()) {
    keys.push_back(key_of(element.get<std::string>()));
    return absl::OkStatus();
  }
  if (!element.is_object()) return ApiError(400, "parsing_exception", "malformed sort format");
  for (const auto& [field, options] : element.items()) {
    SortKey& key = keys.emplace_back(key_of(field));
    PMDEX_RETURN_IF_ERROR(options.is_object() ? ReadOptions(options, key)
                                              : ReadOrder(options, key));
  }
  return absl::OkStatus();
}

// As JSON and --after write the value.
std::string TextOf(const DocValue& value) {
  switch (value.type) {
    case FieldType::kI64:
      return std::to_string(value.i64());
    case FieldType::kU64:
      return std::to_string(value.bits);
    case FieldType::kF64:
      return ToJsonText(Json(value.f64()));
    case FieldType::kBool:
      return value.bits != 0 ? "true" : "false";
    case FieldType::kDate:
      return FormatDate(value.i64());
    default:
      return value.keyword;
  }
}

int64_t MillisecondsOf(int64_t nanoseconds) {
  const int64_t whole = nanoseconds / kNanosecondsOfMillisecond;
  return nanoseconds % kNanosecondsOfMillisecond < 0 ? whole - 1 : whole;
}

bool IsDateNanos(const MappedField* declared) {
  return declared != nullptr && declared->type == MappedType::kDateNanos;
}

// declared: the field of the mapping, or nullptr.
Json SortValue(const DocValue& value, bool is_score, const MappedField* declared) {
  if (value.missing) return Json();
  switch (value.type) {
    case FieldType::kDate:
      if (IsDateNanos(declared)) return value.i64();
      return MillisecondsOf(value.i64());
    case FieldType::kKeyword:
      return EscapeBadUtf8(value.keyword);
    case FieldType::kF64:
      if (is_score || (declared != nullptr && declared->type == MappedType::kFloat)) {
        return JsonFloat(static_cast<float>(value.f64()));
      }
      return value.f64();
    case FieldType::kI64:
      return value.i64();
    default:
      return value.bits;  // of truth values too, as in Elasticsearch
  }
}

absl::StatusOr<SortAfter> ReadAfter(const Json& value) {
  SortAfter after;
  after.missing = value.is_null();
  if (after.missing) return after;
  PMDEX_ASSIGN_OR_RETURN(after.text, JsonText("search_after", value));
  return after;
}

absl::Status CheckCount(const Json& value, const SearchSort& sort) {
  if (!value.is_array() || value.empty()) {
    return BadArgument("[search_after] takes a list of values");
  }
  // A sort by the score alone is none for a node of OpenSearch, and refused here.
  if (sort.keys.empty()) return BadArgument("Sort must contain at least one field.");
  if (value.size() == sort.keys.size()) return absl::OkStatus();
  return BadArgument(absl::StrCat("search_after has ", value.size(), " value(s) but sort has ",
                                  sort.keys.size(), "."));
}

absl::StatusOr<SearchAfter> ReadValuesAfter(const Json& value, const SearchSort& sort) {
  SearchAfter after;
  for (const Json& element : value) {
    PMDEX_ASSIGN_OR_RETURN(after.values.emplace_back(), ReadAfter(element));
    after.is_number.push_back(element.is_number());
  }
  // Behind all documents with these values.
  if (sort.whole_keys().size() > value.size()) {
    after.values.push_back({false, std::to_string(UINT64_MAX)});
  }
  return after;
}

// The whole number that a value of the request stands for: of a number without what stands behind
// its point, and of a text the greatest that is not above it. Numbers beyond 64 bits are the
// nearest of 64 bits. nullopt if the value is no number.
std::optional<int64_t> WholeNumberOf(const std::string& text, bool is_number) {
  if (const std::optional<int64_t> whole = ParseI64(text)) return whole;
  const std::optional<double> real = ParseF64(text);
  if (!real.has_value() || std::isnan(*real)) return std::nullopt;
  const double whole = is_number ? std::trunc(*real) : std::floor(*real);
  if (whole >= 0x1p63) return std::numeric_limits<int64_t>::max();
  if (whole < -0x1p63) return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(whole);
}

// Texts with a fraction are values of these, but not of the narrower types.
bool IsLong(const MappedField* declared) {
  return declared == nullptr || declared->type == MappedType::kLong;
}

void ReadDatePlace(bool has_nanoseconds, bool is_number, SortAfter& after) {
  if (!is_number && !has_nanoseconds) return;
  const std::optional<int64_t> number =
      is_number ? WholeNumberOf(after.text, true) : ParseI64(after.text);
  if (!number.has_value()) return;
  const int64_t unit = has_nanoseconds ? 1 : kNanosecondsOfMillisecond;
  const auto wide = WideNanoseconds{*number} * unit;
  const WideNanoseconds least = std::numeric_limits<int64_t>::min();
  const WideNanoseconds greatest = std::numeric_limits<int64_t>::max();
  after.text = FormatDate(static_cast<int64_t>(std::clamp(wide, least, greatest)));
}

int OrderOf(std::partial_ordering order) {
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}

double RealOf(const DocValue& value) {
  if (value.type == FieldType::kF64) return value.f64();
  return value.type == FieldType::kU64 || value.type == FieldType::kBool
             ? static_cast<double>(value.bits)
             : static_cast<double>(value.i64());
}

}  // namespace

bool SearchSort::by_fields() const {
  return std::any_of(keys.begin(), keys.end(), [](const SortKey& key) {
    return IsField(key) || (key.field == "_score") != key.descending;
  });
}

bool SearchSort::begins_with_best() const {
  return !keys.empty() && keys[0].field == "_score" && keys[0].descending;
}

bool SearchSort::has_score() const {
  return std::any_of(keys.begin(), keys.end(),
                     [](const SortKey& key) { return key.field == "_score"; });
}

std::vector<SortKey> SearchSort::whole_keys() const {
  std::vector<SortKey> whole = keys;
  const bool has_doc =
      std::any_of(keys.begin(), keys.end(), [](const SortKey& key) { return key.field == "_doc"; });
  if (!has_doc) whole.push_back({"_doc", false});
  return whole;
}

absl::StatusOr<SearchSort> ReadSort(const Json& value) {
  const Json list = value.is_array() ? value : Json::array({value});
  SearchSort sort;
  for (const Json& element : list) {
    PMDEX_RETURN_IF_ERROR(ReadElement(element, sort.keys));
  }
  const bool names_score_alone = sort.keys.size() == 1 && sort.begins_with_best();
  if (names_score_alone) sort.keys.clear();
  return sort;
}

absl::StatusOr<SearchAfter> ReadSearchAfter(const Json& value, const SearchSort& sort) {
  PMDEX_RETURN_IF_ERROR(CheckCount(value, sort));
  if (sort.by_fields()) return ReadValuesAfter(value, sort);
  SearchPlace place{kScoreOfDocOrder, UINT64_MAX};
  for (size_t i = 0; i < value.size(); ++i) {
    if (sort.keys[i].field == "_score") {
      PMDEX_ASSIGN_OR_RETURN(const double score, JsonNumber("search_after", value[i]));
      if (!sort.by_doc()) place.score = static_cast<float>(score);
    } else {
      PMDEX_ASSIGN_OR_RETURN(const int64_t doc, JsonInteger("search_after", value[i]));
      if (doc < 0) return BadArgument("[search_after] takes no negative document");
      place.doc = static_cast<uint64_t>(doc);
    }
  }
  return SearchAfter{place, {}, {}};
}

std::vector<SortAfter> PlaceOfHit(const std::vector<DocValue>& values) {
  std::vector<SortAfter> place;
  for (const DocValue& value : values) {
    place.push_back({value.missing, value.missing ? std::string() : TextOf(value)});
  }
  return place;
}

Json SortValues(const SearchSort& sort, float score, uint64_t doc) {
  Json values = Json::array();
  for (const SortKey& key : sort.keys) {
    values.push_back(key.field == "_score" ? JsonFloat(score) : Json(doc));
  }
  return values;
}

Json SortValues(const SearchSort& sort, const std::vector<DocValue>& values,
                const MappedFields* mapped) {
  Json shown = Json::array();
  for (size_t i = 0; i < sort.keys.size(); ++i) {
    const std::string& field = sort.keys[i].field;
    const MappedField* const declared = mapped == nullptr ? nullptr : mapped->Find(field);
    shown.push_back(SortValue(values[i], field == "_score", declared));
  }
  return shown;
}

bool HasNanoseconds(const MappedFields* mapped, std::string_view field) {
  return mapped != nullptr && IsDateNanos(mapped->Find(field));
}

void ReadPlaceIn(const MappedFields* mapped, const TypeOfSortField& type_of, const SearchSort& sort,
                 SearchAfter& after) {
  for (size_t i = 0; i < sort.keys.size() && i < after.values.size(); ++i) {
    const std::string& field = sort.keys[i].field;
    if (after.values[i].missing || !IsField(sort.keys[i])) continue;
    const std::optional<FieldType> type = type_of(field);
    SortAfter& value = after.values[i];
    if (type == FieldType::kDate) {
      ReadDatePlace(HasNanoseconds(mapped, field), after.is_number[i], value);
    } else if (type == FieldType::kI64 &&
               (after.is_number[i] || IsLong(mapped == nullptr ? nullptr : mapped->Find(field)))) {
      const std::optional<int64_t> whole = WholeNumberOf(value.text, after.is_number[i]);
      if (whole.has_value()) value.text = std::to_string(*whole);
    }
  }
}

int CompareSortValues(const SortKey& key, const DocValue& a, const DocValue& b) {
  if (a.missing || b.missing) return static_cast<int>(a.missing) - static_cast<int>(b.missing);
  int order = 0;
  if (a.type == FieldType::kKeyword || b.type == FieldType::kKeyword) {
    order = OrderOf(TextOf(a) <=> TextOf(b));
  } else if (a.type != b.type || a.type == FieldType::kF64) {
    order = OrderOf(RealOf(a) <=> RealOf(b));
  } else {
    const bool is_signed = a.type == FieldType::kI64 || a.type == FieldType::kDate;
    order = OrderOf(is_signed ? a.i64() <=> b.i64() : a.bits <=> b.bits);
  }
  return key.descending ? -order : order;
}

}  // namespace pmdex
