#include "tools/server/mapping/document_mapper.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tools/server/elasticsearch/api_error.h"
#include "tools/server/mapping/source_document.h"
#include "tools/server/writing/source_reader.h"

namespace pmdex {
namespace document_mapper_test {

MappedFields FieldsOf(const std::string& mappings) {
  MappedFields fields;
  const absl::Status status = fields.Add(Json::parse(mappings));
  EXPECT_TRUE(status.ok()) << status;
  return fields;
}
absl::StatusOr<MappedDocument> Map(const MappedFields& fields, const std::string& json) {
  SourceReader reader;
  absl::StatusOr<SourceDocument> source = reader.Read("7", json);
  EXPECT_TRUE(source.ok()) << source.status();
  return MapDocument(*std::move(source), fields);
}
// The values as "FIELD=VALUE", and texts as "FIELD:TEXT".
std::vector<std::string> Shown(const absl::StatusOr<MappedDocument>& mapped) {
  EXPECT_TRUE(mapped.ok()) << mapped.status();
  std::vector<std::string> shown;
  if (!mapped.ok()) return shown;
  for (const auto& [name, text] : mapped->document.fields) shown.push_back(name + ":" + text);
  for (const AddedValue& value : mapped->document.values) {
    shown.push_back(
        value.field + "=" +
        (value.type == FieldType::kKeyword ? value.keyword : std::to_string(value.bits)));
  }
  return shown;
}
Json ErrorOf(const absl::StatusOr<MappedDocument>& mapped) {
  EXPECT_FALSE(mapped.ok());
  return mapped.ok() ? Json() : ErrorJson(mapped.status());
}
using Values = std::vector<std::string>;

TEST(DocumentMapper, GivesEachFieldAndItsMultiFieldsTheirValues) {
  const MappedFields fields = FieldsOf(R"({"properties": {
      "title": {"type": "text", "fields": {"raw": {"type": "keyword", "ignore_above": 5}}},
      "kind": {"type": "keyword", "null_value": "none"}, "n": {"type": "long", "null_value": 7},
      "hidden": {"type": "text", "index": false},
      "o": {"properties": {"x": {"type": "short"}}}}})");
  const auto mapped = Map(fields, R"({"title": ["ab", "longer text", 1.50], "kind": [null, "k"],
      "n": null, "hidden": "h", "o": [{"x": 1}, {"x": "2"}]})");
  EXPECT_EQ(Shown(mapped),
            (Values{"title:ab", "title:longer text", "title:1.50", "title.raw=ab", "title.raw=1.50",
                    "kind=none", "kind=k", "n=7", "o.x=1", "o.x=2"}));
  EXPECT_FALSE(mapped->changed.has_value());
  EXPECT_EQ(mapped->document.id, "7");
}

TEST(DocumentMapper, AddsFieldsThatADocumentBrings) {
  const auto mapped = Map(MappedFields(), R"({"n": 1, "x": 1.5, "s": "word", "b": true,
      "d": "2026-01-02T03:04:05Z", "y": "2026/01/02", "o": {"p": [1, 2]}, "e": {}, "z": null,
      "year": "2026", "clock": "12:30"})");
  ASSERT_TRUE(mapped.ok() && mapped->changed.has_value());
  const std::string properties = mapped->changed->ToJson()["properties"].dump();
  EXPECT_EQ(nlohmann::json::parse(properties), nlohmann::json::parse(R"({
      "b": {"type": "boolean"},
      "clock": {"type": "text", "fields": {"keyword": {"type": "keyword", "ignore_above": 256}}},
      "d": {"type": "date"}, "e": {"type": "object"}, "n": {"type": "long"},
      "o": {"properties": {"p": {"type": "long"}}},
      "s": {"type": "text", "fields": {"keyword": {"type": "keyword", "ignore_above": 256}}},
      "x": {"type": "float"},
      "y": {"type": "date", "format": "yyyy/MM/dd HH:mm:ss||yyyy/MM/dd||epoch_millis"},
      "year": {"type": "text", "fields": {"keyword": {"type": "keyword", "ignore_above": 256}}}
      })"));
  // A second document finds the fields as they are.
  const auto again = Map(*mapped->changed, R"({"n": 2.9, "s": 5})");
  EXPECT_EQ(Shown(again), (Values{"s:5", "n=2", "s.keyword=5"}));
  EXPECT_FALSE(again->changed.has_value());
}

TEST(DocumentMapper, TellsWhyAValueDoesNotFit) {
  const MappedFields fields = FieldsOf(R"({"properties": {"n": {"type": "integer"},
      "t": {"type": "text"}, "o": {"properties": {"x": {"type": "long"}}}}})");
  const Json error = ErrorOf(Map(fields, R"({"n": "abc"})"));
  EXPECT_EQ(error["type"], "document_parsing_exception");
  EXPECT_EQ(error["reason"],
            "failed to parse field [n] of type [integer] in document with id '7'. Preview of "
            "field's value: 'abc'");
  EXPECT_EQ(error["caused_by"]["type"], "number_format_exception");
  EXPECT_EQ(
      ErrorOf(Map(fields, R"({"o": 5})"))["reason"],
      "object mapping for [o] tried to parse field [o] as object, but found a concrete value");
  EXPECT_NE(ErrorOf(Map(fields, R"({"t": {"a": "b"}})"))["reason"].dump().find("'{a=b}'"),
            std::string::npos);
  EXPECT_NE(
      ErrorOf(Map(fields, R"({"t.raw": "x"})"))["reason"].dump().find("Could not dynamically"),
      std::string::npos);
  EXPECT_EQ(ErrorOf(Map(fields, R"({"new": [1, 2.5]})"))["reason"],
            "mapper [new] cannot be changed from type [long] to [float]");
  EXPECT_EQ(ErrorOf(Map(fields, R"({"": 1})"))["reason"], "failed to parse");
  EXPECT_EQ(ErrorOf(Map(fields, R"({"a..b": 1})"))["reason"], "failed to parse");
}

TEST(DocumentMapper, LeavesOutBadValuesWhereTheMappingSaysSo) {
  const MappedFields fields =
      FieldsOf(R"({"properties": {"n": {"type": "integer", "ignore_malformed": true}}})");
  EXPECT_EQ(Shown(Map(fields, R"({"n": [1, "x", 99999999999, 3]})")), (Values{"n=1", "n=3"}));
  const auto object = Map(fields, R"({"n": {"a": {"b": 1}}})");
  EXPECT_EQ(Shown(object), Values{});
  EXPECT_FALSE(object->changed.has_value());
}

TEST(DocumentMapper, IgnoresOrRefusesUndeclaredFieldsWhereTheMappingSaysSo) {
  const std::string properties = R"("properties": {"t": {"type": "keyword"},
      "open": {"type": "object", "dynamic": "true"}, "shut": {"type": "object", "dynamic": "strict"}}})";
  const MappedFields ignoring = FieldsOf(R"({"dynamic": false, )" + properties);
  EXPECT_EQ(Shown(Map(ignoring, R"({"t": "x", "u": 5, "o": {"p": 1}, "open": {"q": 2}})")),
            (Values{"t=x", "open.q=2"}));
  EXPECT_EQ(ErrorOf(Map(ignoring, R"({"shut": {"q": 2}})"))["reason"],
            "mapping set to strict, dynamic introduction of [q] within [shut] is not allowed");
  const MappedFields strict = FieldsOf(R"({"dynamic": "strict", )" + properties);
  for (const char* json : {R"({"u": 5})", R"({"u": null})", R"({"u": {"v": 1}})"}) {
    EXPECT_EQ(ErrorOf(Map(strict, json))["reason"],
              "mapping set to strict, dynamic introduction of [u] within [_doc] is not allowed");
  }
}

TEST(DocumentMapper, HasAtMostAThousandFields) {
  std::string json = R"({"f": 0)";
  for (int i = 0; i < 1000; ++i) json += ", \"f" + std::to_string(i) + "\": 1";
  EXPECT_EQ(ErrorOf(Map(MappedFields(), json + "}"))["reason"],
            "Limit of total fields [1000] has been exceeded");
}

TEST(DocumentMapper, KeepsTheTypesOfFieldsOfIndexesWithoutAMapping) {
  MappedFields fields;
  fields.AddFound({{"n", {FieldType::kU64, Multiplicity::kOpen}},
                   {"t", {FieldType::kText, Multiplicity::kOpen}},
                   {"d", {FieldType::kDate, Multiplicity::kOpen}}});
  const auto mapped = Map(fields, R"({"n": 5, "t": "x", "d": "2026-01-01T00:00:00.000000001Z"})");
  ASSERT_TRUE(mapped.ok());
  EXPECT_FALSE(mapped->changed.has_value());
  ASSERT_EQ(mapped->document.values.size(), 2u);
  EXPECT_EQ(mapped->document.values[0].type, FieldType::kU64);
  EXPECT_EQ(mapped->document.values[1].bits % 1000, 1u);  // nanoseconds
  EXPECT_EQ(fields.ToJson(), Json::object());
}

TEST(DocumentMapper, ChoosesTheTypeOfANewField) {
  const auto type_of = [](const char* text, InputValueKind kind) {
    return DynamicField({"f", text, kind}).type;
  };
  EXPECT_EQ(type_of("9223372036854775808", InputValueKind::kNumber), MappedType::kLong);
  EXPECT_EQ(type_of("1e3", InputValueKind::kNumber), MappedType::kFloat);
  EXPECT_EQ(type_of("2026-01", InputValueKind::kString), MappedType::kDate);
  EXPECT_EQ(type_of("20260102", InputValueKind::kString), MappedType::kText);
  EXPECT_EQ(type_of("true", InputValueKind::kString), MappedType::kText);
}

}  // namespace document_mapper_test
}  // namespace pmdex
