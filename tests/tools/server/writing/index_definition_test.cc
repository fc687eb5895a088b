#include "tools/server/writing/index_definition.h"

#include <gtest/gtest.h>

#include <string>

#include "tools/server/elasticsearch/api_error.h"
#include "tools/server/writing/mapped_fields.h"

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

AddedDocument DocumentOf(const std::string& record) {
  AddedDocument document;
  document.record = record;
  document.fields = {{"title", "x"}, {"hidden", "y"}, {"other", "z"}};
  return document;
}

TEST(MappedFields, DecidesWhatBecomesOfFieldsThatNobodyDeclared) {
  const std::string properties =
      R"("properties": {"title": {"type": "text"}, "hidden": {"type": "text", "index": false}}})";
  MappedFields fields;
  ASSERT_TRUE(fields.Add(Json::parse("{" + properties)).ok());
  AddedDocument document = DocumentOf("{}");
  EXPECT_EQ(fields.ApplyTo(document), std::nullopt);
  EXPECT_EQ(document.fields.size(), 2u);  // without "hidden"
  ASSERT_TRUE(fields.Add(Json::parse(R"({"dynamic": false})")).ok());
  document = DocumentOf("{}");
  EXPECT_EQ(fields.ApplyTo(document), std::nullopt);
  EXPECT_EQ(document.fields.size(), 1u);
  ASSERT_TRUE(fields.Add(Json::parse(R"({"dynamic": "strict"})")).ok());
  document = DocumentOf(R"({"title": "x", "n": 5})");
  EXPECT_EQ(fields.ApplyTo(document), "n");  // numbers are fields, too
  document = DocumentOf(R"({"title": "x", "hidden": "y"})");
  EXPECT_EQ(fields.ApplyTo(document), std::nullopt);
}

TEST(MappedFields, RefusesToDeclareAFieldInTwoWays) {
  MappedFields fields;
  ASSERT_TRUE(fields.Add(Json::parse(R"({"properties": {"a": {"type": "text"}}})")).ok());
  EXPECT_TRUE(fields.Add(Json::parse(R"({"properties": {"a": {"type": "text"}}})")).ok());
  for (const char* other : {R"({"properties": {"a": {"type": "text", "norms": false}}})",
                            R"({"properties": {"a": {"properties": {"b": {"type": "text"}}}}})",
                            R"({"properties": {"c": {"type": "text"}, "d": {"type": "no"}}})"}) {
    EXPECT_FALSE(fields.Add(Json::parse(other)).ok()) << other;
  }
  EXPECT_EQ(fields.ToJson(), Json::parse(R"({"properties": {"a": {"type": "text"}}})"));
}

}  // namespace index_definition_test
}  // namespace pmdex
