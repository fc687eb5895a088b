#include "tools/server/mapping/mapped_fields.h"

#include <gtest/gtest.h>

#include <string>

#include "tools/server/mapping/mapped_field.h"

namespace pmdex {
namespace mapped_fields_test {

std::string ReasonOf(MappedFields& fields, const std::string& mappings) {
  const absl::Status status = fields.Add(Json::parse(mappings));
  return status.ok() ? "" : std::string(status.message());
}

constexpr char kWhole[] = R"({"dynamic": "strict", "properties": {
    "t": {"type": "text", "norms": false, "fields": {"raw": {"type": "keyword", "ignore_above": 5}}},
    "n": {"type": "short", "ignore_malformed": true, "doc_values": false, "store": true},
    "d": {"type": "date", "format": "dd.MM.yyyy||epoch_millis", "null_value": "01.01.2026"},
    "o": {"dynamic": "false", "properties": {"p": {"properties": {"k": {"type": "keyword"}}}}},
    "e": {"type": "object"}}})";

TEST(MappedFields, ShowsWhatWasDeclared) {
  MappedFields fields;
  ASSERT_EQ(ReasonOf(fields, kWhole), "");
  EXPECT_EQ(nlohmann::json::parse(fields.ToJson().dump()), nlohmann::json::parse(kWhole));
  MappedFields again;
  ASSERT_TRUE(again.Add(fields.ToJson()).ok());
  EXPECT_EQ(again.ToJson(), fields.ToJson());
  EXPECT_TRUE(fields.IsObject("o.p"));
  EXPECT_EQ(fields.DynamicOf("o.p.k"), DynamicFields::kIgnored);
  EXPECT_EQ(fields.DynamicOf("x"), DynamicFields::kRefused);
  EXPECT_EQ(fields.Find("t.raw")->most_characters, 5u);
  EXPECT_TRUE(fields.Find("n")->ignores_malformed);
  EXPECT_EQ(fields.Find("d")->format->text(), "dd.MM.yyyy||epoch_millis");
  EXPECT_EQ(fields.Find("o"), nullptr);
}

TEST(MappedFields, TakesFieldsAgainAndNewOnes) {
  MappedFields fields;
  ASSERT_EQ(ReasonOf(fields, kWhole), "");
  EXPECT_EQ(ReasonOf(fields, R"({"properties": {"t": {"type": "text", "norms": false}}})"), "");
  EXPECT_NE(fields.Find("t.raw"), nullptr);
  EXPECT_EQ(ReasonOf(fields, R"({"properties": {"t": {"type": "text", "norms": false,
                              "fields": {"also": {"type": "long"}}}, "o.q": {"type": "byte"}}})"),
            "");
  EXPECT_EQ(fields.ToJson("t")["fields"].size(), 2u);
  EXPECT_EQ(fields.Find("o.q")->type, MappedType::kByte);
  EXPECT_EQ(ReasonOf(fields, R"({"properties": {"n": {"type": "short", "ignore_malformed": false,
                                                      "doc_values": false, "store": true}}})"),
            "");
  EXPECT_FALSE(fields.Find("n")->ignores_malformed);
}

TEST(MappedFields, RefusesToChangeAField) {
  MappedFields fields;
  ASSERT_EQ(ReasonOf(fields, kWhole), "");
  const Json before = fields.ToJson();
  const auto reason = [&](const std::string& properties) {
    return ReasonOf(fields, R"({"properties": )" + properties + "}");
  };
  EXPECT_EQ(reason(R"({"t": {"type": "keyword"}})"),
            "mapper [t] cannot be changed from type [text] to [keyword]");
  EXPECT_EQ(
      reason(R"({"t": {"type": "text", "norms": false, "fields": {"raw": {"type": "long"}}}})"),
      "mapper [t.raw] cannot be changed from type [keyword] to [long]");
  EXPECT_EQ(reason(R"({"d": {"type": "date", "null_value": "2026-01-01"}})"),
            "Mapper for [d] conflicts with existing mapper:\n\tCannot update parameter [format] "
            "from [dd.MM.yyyy||epoch_millis] to [strict_date_optional_time||epoch_millis]");
  for (const char* other :
       {R"({"t": {"type": "text"}})", R"({"t": {"properties": {"b": {"type": "text"}}}})",
        R"({"o": {"type": "text"}})", R"({"n.x": {"type": "long"}})",
        R"({"new": {"type": "text"}, "other": {"type": "no"}})"}) {
    EXPECT_NE(reason(other), "") << other;
  }
  EXPECT_EQ(fields.ToJson(), before);
}

TEST(MappedFields, NamesWhatItDoesNotKnow) {
  MappedFields fields;
  const auto reason = [&](const std::string& definition) {
    return ReasonOf(fields, R"({"properties": {"f": )" + definition + "}}");
  };
  EXPECT_EQ(reason(R"({"type": "geo_point"})"),
            "No handler for type [geo_point] declared on field [f]");
  EXPECT_EQ(reason(R"({"type": "keyword", "ignore_malformed": true})"),
            "unknown parameter [ignore_malformed] on mapper [f] of type [keyword]");
  EXPECT_EQ(reason(R"({"type": "text", "fields": {"raw": {"type": "object"}}})"),
            "Type [object] cannot be used in multi field");
  for (const char* definition :
       {R"({"type": "date", "format": "nonsense"})", R"({"type": "long", "null_value": "x"})",
        R"({"type": "long", "null_value": []})", R"({"type": "keyword", "ignore_above": -1})",
        R"({"type": "text", "index_options": "no"})", R"({"type": "text", "fields": 5})",
        R"({"type": "text", "fields": {"a.b": {"type": "long"}}})", R"({"fields": {}})", "5",
        R"({"type": "object", "enabled": false})", R"({"type": "text", "analyzer": "klingon"})"}) {
    EXPECT_NE(reason(definition), "") << definition;
  }
  EXPECT_NE(ReasonOf(fields, R"({"properties": {"": {"type": "long"}}})"), "");
  EXPECT_NE(ReasonOf(fields, R"({"properties": {"a..b": {"type": "long"}}})"), "");
  EXPECT_NE(ReasonOf(fields, R"({"_source": {"enabled": false}})"), "");
}

TEST(MappedFields, TakeOnlyWhatTheyCouldTakeAgain) {
  std::string deepest = "o";
  for (int i = 1; i < 20; ++i) deepest += ".o";
  const std::string too_deep = deepest + ".o";
  const auto property = [](const std::string& path) {
    return R"({"properties": {")" + path + R"(": {"type": "text"}}})";
  };
  const std::string why =
      "Limit of mapping depth [20] has been exceeded due to object field [" + deepest + "]";
  for (const std::string& other : {property(too_deep), property(deepest + ".a.b")}) {
    MappedFields fields;
    EXPECT_EQ(ReasonOf(fields, other), why);
    EXPECT_EQ(fields.ToJson(), Json::object());
  }
  MappedFields of_documents;
  EXPECT_EQ(of_documents.AddDynamic(too_deep, PlainField(MappedType::kLong)).message(), why);
  EXPECT_EQ(of_documents.AddObject(deepest).message(), why);
  MappedFields fields;
  EXPECT_EQ(ReasonOf(fields, property(deepest)), "");
  MappedFields again;
  EXPECT_TRUE(again.Add(fields.ToJson()).ok());
  EXPECT_EQ(again.ToJson(), fields.ToJson());
}

TEST(MappedFields, TakeAFoundFieldAsOneOfSeveralOfAField) {
  MappedFields fields;
  fields.AddFound({{"a.b", {FieldType::kKeyword, Multiplicity::kOne}}});
  ASSERT_EQ(ReasonOf(fields, R"({"properties": {"a": {"type": "text", "fields":
                                 {"b": {"type": "keyword"}}}}})"),
            "");
  MappedFields again;
  ASSERT_TRUE(again.Add(fields.ToJson()).ok());
  ASSERT_NE(again.Find("a"), nullptr);
  EXPECT_EQ(again.Find("a")->multi_fields, std::vector<std::string>{"a.b"});
}

TEST(MappedField, MergesWithItsLaterDefinition) {
  const auto before = ReadMappedField("f", Json::parse(R"({"type": "keyword"})"));
  const auto after = ReadMappedField("f", Json::parse(R"({"type": "keyword", "ignore_above": 9})"));
  ASSERT_TRUE(before.ok() && after.ok());
  EXPECT_EQ(MergeMappedField("f", *before, *after)->most_characters, 9u);
}

}  // namespace mapped_fields_test
}  // namespace pmdex
