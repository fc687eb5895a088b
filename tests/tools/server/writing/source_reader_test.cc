#include "tools/server/writing/source_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace pmdex {
namespace source_reader_test {

using Fields = std::vector<std::pair<std::string, std::string>>;

Fields FieldsOf(const SourceDocument& document) {
  Fields fields;
  for (const SourceValue& value : document.values) fields.emplace_back(value.path, value.text);
  return fields;
}

TEST(SourceReader, ReadsValuesOfObjectsAndListsAndKeepsTheSource) {
  SourceReader reader;
  const std::string json =
      R"({"id": "inside", "n": 5, "a": {"b": "x\ty", "c": ["1", "2"]}, "e": null})";
  const auto document = reader.Read("7", json);
  ASSERT_TRUE(document.ok()) << document.status();
  EXPECT_EQ(document->id, "7");
  EXPECT_EQ(document->record, json);
  EXPECT_EQ(FieldsOf(*document), (Fields{{"id", "inside"},
                                         {"n", "5"},
                                         {"a", ""},
                                         {"a.b", "x\ty"},
                                         {"a.c", "1"},
                                         {"a.c", "2"},
                                         {"e", ""}}));
  EXPECT_EQ(document->values[1].kind, InputValueKind::kNumber);
  EXPECT_EQ(document->values[2].kind, InputValueKind::kObject);
  EXPECT_EQ(document->values.back().kind, InputValueKind::kNull);
}

TEST(SourceReader, TakesTheIdOutOfTheSource) {
  SourceReader reader;
  const auto text = reader.ReadWithId(R"({"t": "word", "id": "seven"})");
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(text->id, "seven");
  EXPECT_EQ(FieldsOf(*text), (Fields{{"t", "word"}}));
  EXPECT_EQ(reader.ReadWithId(R"({"id": 7})")->id, "7");
  EXPECT_EQ(reader.ReadWithId(R"({"t": "word"})")->id, "");
  EXPECT_EQ(reader.ReadWithId(R"({"id": "again"})")->id, "again");
}

TEST(SourceReader, ReadsAnObjectOfSeveralLines) {
  SourceReader reader;
  const std::string json = "{\r\n  \"a\": \"x\",\n  \"b\": \"y\"\n}\n";
  const auto document = reader.Read("1", json);
  ASSERT_TRUE(document.ok()) << document.status();
  EXPECT_EQ(FieldsOf(*document), (Fields{{"a", "x"}, {"b", "y"}}));
  EXPECT_EQ(document->record, json);
  EXPECT_FALSE(reader.Read("1", "{\"a\": \"x\ny\"}").ok());
}

TEST(SourceReader, RefusesWhatIsNoObjectInUtf8) {
  SourceReader reader;
  for (const char* json : {"", " ", "[]", "5", "{", "{\"a\":}", "{\"a\": \"x\"} 5",
                           "{\"a\": \"\xff\"}", "{\"a\": 1}{\"b\": 2}", "nonsense"}) {
    const auto document = reader.Read("1", json);
    EXPECT_TRUE(absl::IsInvalidArgument(document.status())) << json;
  }
  EXPECT_TRUE(reader.Read("1", "{}").ok());
}

}  // namespace source_reader_test
}  // namespace pmdex
