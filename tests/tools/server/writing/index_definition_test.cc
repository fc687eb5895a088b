#include "tools/server/writing/index_definition.h"

#include <gtest/gtest.h>

#include <string>

#include "tools/server/elasticsearch/api_error.h"
#include "tools/server/mapping/mapped_fields.h"

namespace pmdex {
namespace index_definition_test {

absl::StatusOr<IndexDefinition> Read(const std::string& body) {
  return IndexDefinition::Read(Json::parse(body));
}
std::string ReasonOf(const std::string& body) {
  const auto read = Read(body);
  return read.ok() ? "" : ErrorJson(read.status())["reason"].get<std::string>();
}

constexpr char kWhole[] = R"({
  "settings": {"index": {"number_of_shards": 3, "refresh_interval": "5s"},
               "number_of_replicas": "2",
               "analysis": {"analyzer": {"default": {"type": "english"}}}},
  "mappings": {"dynamic": "strict", "properties": {
    "title": {"type": "text", "analyzer": "english", "norms": false},
    "hidden": {"type": "text", "index": false},
    "author": {"properties": {"name": {"type": "text"}}}}}})";

TEST(IndexDefinition, KeepsWhatAClientSaid) {
  const auto read = Read(kWhole);
  ASSERT_TRUE(read.ok()) << read.status();
  const auto again = IndexDefinition::FromText(read->ToText());
  ASSERT_TRUE(again.ok()) << again.status();
  for (const IndexDefinition& definition : {*read, *again}) {
    EXPECT_EQ(definition.SettingsOfIndex().analyzer, AnalyzerKind::kEnglish);
    EXPECT_TRUE(definition.SettingsOfIndex().store_text);
    EXPECT_EQ(definition.refresh_interval(), std::chrono::seconds(5));
    EXPECT_EQ(definition.settings().at("number_of_shards"), "3");
    EXPECT_EQ(definition.settings().at("number_of_replicas"), "2");
    EXPECT_EQ(Json(definition.fields().ToJson()["properties"]["author"]),
              Json::parse(R"({"properties": {"name": {"type": "text"}}})"));
    EXPECT_EQ(definition.fields().ToJson()["dynamic"], "strict");
    EXPECT_EQ(definition.ToText(), read->ToText());
  }
  EXPECT_TRUE(absl::IsDataLoss(IndexDefinition::FromText("nonsense").status()));
}

TEST(IndexDefinition, RefreshesOnlyOnDemandIfTheClientSaysSo) {
  EXPECT_EQ(Read("{}")->refresh_interval(), std::chrono::seconds(1));
  EXPECT_EQ(Read(R"({"settings": {"refresh_interval": "-1"}})")->refresh_interval(), std::nullopt);
}

TEST(IndexDefinition, NamesWhatItDoesNotKnow) {
  EXPECT_NE(ReasonOf(R"({"aliases": {}})").find("[aliases]"), std::string::npos);
  EXPECT_NE(ReasonOf(R"({"settings": {"index.codec": "x"}})").find("[index.codec]"),
            std::string::npos);
  EXPECT_NE(ReasonOf(R"({"mappings": {"_source": {}}})").find("[_source"), std::string::npos);
  EXPECT_NE(ReasonOf(R"({"mappings": {"properties": {"a": {"type": "geo_point"}}}})")
                .find("[geo_point] declared on field [a]"),
            std::string::npos);
  EXPECT_NE(ReasonOf(R"({"mappings": {"properties": {"a": {"type": "text", "boost": 2}}}})")
                .find("[boost]"),
            std::string::npos);
  EXPECT_NE(ReasonOf(R"({"mappings": {"properties": {"a": {}}}})").find("No type specified"),
            std::string::npos);
  EXPECT_NE(ReasonOf(R"({"settings": {"number_of_shards": 0}})").find("number_of_shards"),
            std::string::npos);
  EXPECT_NE(ReasonOf(R"({"settings": {"number_of_shards": 1},
                         "mappings": {"properties": {"a": {"type": "text", "analyzer": "english"},
                                                     "b": {"type": "text", "analyzer": "log"}}}})")
                .find("same analyzer"),
            std::string::npos);
}

TEST(IndexDefinition, SaysThatTheMappingsOfANewIndexAreWrong) {
  const auto read = Read(R"({"mappings": {"properties": {"a": {"type": "nope"}}}})");
  ASSERT_FALSE(read.ok());
  const Json error = ErrorJson(read.status());
  EXPECT_EQ(error["type"], "mapper_parsing_exception");
  EXPECT_EQ(error["reason"],
            "Failed to parse mapping [_doc]: No handler for type [nope] declared on field [a]");
  EXPECT_EQ(error["caused_by"]["reason"], "No handler for type [nope] declared on field [a]");
}

TEST(IndexDefinition, KeepsFieldsThatDocumentsBrought) {
  IndexDefinition definition;
  MappedFields fields;
  ASSERT_TRUE(fields.AddDynamic("n", PlainField(MappedType::kFloat)).ok());
  definition.SetFields(fields);
  definition.AddFound({{"old", {FieldType::kI64, Multiplicity::kOpen}}});
  EXPECT_NE(definition.fields().Find("old"), nullptr);
  const auto again = IndexDefinition::FromText(definition.ToText());
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->fields().Find("n")->type, MappedType::kFloat);
  EXPECT_EQ(again->fields().Find("old"), nullptr);  // found again in the index
}

}  // namespace index_definition_test
}  // namespace pmdex
