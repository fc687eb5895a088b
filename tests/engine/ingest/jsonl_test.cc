#include "engine/ingest/jsonl.h"

#include "gtest/gtest.h"

#include "tests/engine/ingest/parser_fixture.h"

namespace pmdex {
namespace jsonl_test {

using Fields = std::vector<std::pair<std::string, std::string>>;

class JsonlTest : public testing::Test {
 protected:
  std::vector<ParsedDocument> Parse(std::string_view text, JsonlOptions options = {}) {
    return ParseText(*NewJsonlParser(std::move(options), problems_), text);
  }
  uint64_t Invalid() {
    const auto problems = problems_.problems();
    const auto found = problems.find(ProblemKind::kInvalidJson);
    return found == problems.end() ? 0 : found->second.count;
  }
  ProblemLog problems_;
};

TEST_F(JsonlTest, FlattensObjectsAndTakesStringsOfArraysAsValues) {
  const auto documents = Parse(
      R"({"id":"x","a":{"b":"one","c":{"d":"two"}},"tags":["t1",3,"t2",{"k":"deep"}],"n":5,"t":true,"z":null})");
  ASSERT_EQ(documents.size(), 1u);
  EXPECT_EQ(documents[0].id, "x");
  EXPECT_EQ(documents[0].fields, (Fields{{"id", "x"},
                                         {"a.b", "one"},
                                         {"a.c.d", "two"},
                                         {"tags", "t1"},
                                         {"tags", "t2"},
                                         {"tags.k", "deep"}}));
}

TEST_F(JsonlTest, TakesOnlyTheFieldsThatAreAskedFor) {
  const auto documents = Parse(R"({"id":"x","title":"T","body":"B","a":{"title":"no"}})",
                               {.id_field = "id", .fields = {"title", "missing"}});
  ASSERT_EQ(documents.size(), 1u);
  EXPECT_EQ(documents[0].fields, (Fields{{"title", "T"}}));
}

TEST_F(JsonlTest, FindsTheIdWhereverItIs) {
  EXPECT_EQ(Parse(R"({"a":{"key":"deep"},"id":"no"})", {.id_field = "a.key", .fields = {}})[0].id,
            "deep");
  EXPECT_EQ(Parse(R"({"id":-12})")[0].id, "-12");
  EXPECT_EQ(Parse(R"({"id":18446744073709551615})")[0].id, "18446744073709551615");
  EXPECT_EQ(Parse(R"({"id":1.5})")[0].id, "1.5");
  EXPECT_EQ(Parse(R"({"id":"\u00e9\n"})")[0].id, "\xc3\xa9\n");
  EXPECT_TRUE(problems_.problems().empty());
}

TEST_F(JsonlTest, NamesDocumentsWithoutAnIdByTheirPlace) {
  for (const char* json : {R"({"a":"b"})", R"({"id":null})", R"({"id":""})", R"({"id":["x"]})"}) {
    EXPECT_EQ(Parse(json)[0].id, "in:1");
  }
  EXPECT_EQ(Parse(R"({"id":")" + std::string(40000, 'x') + R"("})")[0].id, "in:1");
  EXPECT_EQ(problems_.problems().at(ProblemKind::kMissingId).count, 5u);
}

TEST_F(JsonlTest, ReportsWhatIsNotOneValidObject) {
  int bad = 0;
  for (const std::string json :
       {"nonsense", "[]", "\"text\"", "{\"a\":1} {}", "{\"a\":1}x", "{\"a\":tru}", "{\"a\":01}",
        "{\"a\":\"\x01\"}", "{\"a\"", "{\"a\":\"\\ud800\"}", "{a:1}"}) {
    EXPECT_TRUE(Parse(json).empty()) << json;
    EXPECT_EQ(Invalid(), static_cast<uint64_t>(++bad)) << json;
  }
}

TEST_F(JsonlTest, RefusesDeepNestingWithoutDeepRecursion) {
  const auto nested = [](size_t depth) {
    return "{\"a\":" + std::string(depth, '[') + std::string(depth, ']') + "}";
  };
  EXPECT_EQ(Parse(nested(kMaxJsonDepth - 1)).size(), 1u);
  EXPECT_TRUE(Parse(nested(kMaxJsonDepth)).empty());
  EXPECT_TRUE(Parse(nested(200000)).empty());
}

TEST_F(JsonlTest, ReplacesInvalidUtf8AndSaysSo) {
  const auto documents = Parse("{\"id\":\"a\",\"t\":\"caf\xe9\"}\n{\"id\":\"b\"}");
  ASSERT_EQ(documents.size(), 2u);
  EXPECT_FALSE(documents[0].valid_utf8);
  EXPECT_EQ(documents[0].fields[1].second, "caf\xef\xbf\xbd");
  EXPECT_TRUE(documents[1].valid_utf8);
}

TEST_F(JsonlTest, CountsBlankLinesAsLines) {
  const auto documents = Parse("\n  \t\r\n{\"id\":\"a\"}\r\n\n{\"id\":\"b\"}");
  ASSERT_EQ(documents.size(), 2u);
  EXPECT_EQ(documents[0].place, "in:3");
  EXPECT_EQ(documents[1].place, "in:5");
}

}  // namespace jsonl_test
}  // namespace pmdex
