#include "tools/sort_values.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "engine/columns/date_text.h"

namespace pmdex {

void WriteValue(const DocValue& value, JsonWriter& json) {
  if (value.missing) {
    json.Null();
    return;
  }
  switch (value.type) {
    case FieldType::kI64:
      json.Int(value.i64());
      return;
    case FieldType::kU64:
      json.Uint(value.bits);
      return;
    case FieldType::kBool:
      json.Bool(value.bits != 0);
      return;
    case FieldType::kDate:
      json.String(FormatDate(value.i64()));
      return;
    case FieldType::kF64:
      json.Double(value.f64());
      return;
    default:
      json.Name(value.keyword);
  }
}

void WriteValues(const std::vector<DocValue>& values, JsonWriter& json) {
  if (values.size() == 1) return WriteValue(values[0], json);
  json.BeginArray();
  for (const DocValue& value : values) WriteValue(value, json);
  json.EndArray();
}

absl::StatusOr<std::vector<SortAfter>> ParseSortAfter(std::string_view json) {
  const auto parsed = nlohmann::json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!parsed.is_array()) return InvalidArgument("after: this is no JSON array");
  if (parsed.empty()) return InvalidArgument("after: the array is empty");
  std::vector<SortAfter> values;
  for (const auto& element : parsed) {
    if (element.is_object() || element.is_array()) {
      return InvalidArgument("after: an element of the array is no single value");
    }
    SortAfter& value = values.emplace_back();
    value.missing = element.is_null();
    if (element.is_string()) {
      value.text = element.get<std::string>();
    } else if (!value.missing) {
      value.text = element.dump();
    }
  }
  return values;
}

}  // namespace pmdex
