#include "engine/ingest/formats/jsonl.h"

#include "gtest/gtest.h"

#include "engine/ingest/problem_kind.h"
#include "engine/memtable/field_names.h"
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
  EXPECT_EQ(
      documents[0].fields,
      (Fields{
          {"a.b", "one"}, {"a.c.d", "two"}, {"tags", "t1"}, {"tags", "t2"}, {"tags.k", "deep"}}));
}

TEST_F(JsonlTest, HandsOverValuesOfEveryKindWithTheirArrays) {
  const auto documents = Parse(
      R"({"id":7,"n":1.50 ,"b":true,"z":null,"e":[],"a":[1,[false,"x"]],"o":{"p":[{"q":-0}]},"l":[null,2]})");
  ASSERT_EQ(documents.size(), 1u);
  EXPECT_EQ(documents[0].id, "7");
  const std::vector<ParsedDocument::Value> expected = {
      {"n", "1.50", InputValueKind::kNumber, 0}, {"b", "true", InputValueKind::kBool, 0},
      {"a", "1", InputValueKind::kNumber, 2},    {"a", "false", InputValueKind::kBool, 2},
      {"a", "x", InputValueKind::kString, 2},    {"o", "", InputValueKind::kObject, 0},
      {"o.p", "", InputValueKind::kObject, 3},   {"o.p.q", "-0", InputValueKind::kNumber, 3},
      {"l", "2", InputValueKind::kNumber, 4}};
  EXPECT_EQ(documents[0].values, expected);
}

TEST_F(JsonlTest, HandsOverNullsToWhoAsksForThem) {
  JsonlOptions options;
  options.nulls = true;
  const auto documents = Parse(R"({"id":7,"z":null,"a":[1,null]})", options);
  ASSERT_EQ(documents.size(), 1u);
  const std::vector<ParsedDocument::Value> expected = {{"z", "", InputValueKind::kNull, 0},
                                                       {"a", "1", InputValueKind::kNumber, 1},
                                                       {"a", "", InputValueKind::kNull, 1}};
  EXPECT_EQ(documents[0].values, expected);
}

TEST_F(JsonlTest, NumbersOfAnySizeAreValidAndStayAsTheyAreWritten) {
  const auto documents =
      Parse(R"({"id":1e999,"a":123456789012345678901234567890,"b":[1e999,2],"c":{"d":-1E-999}})"
            "\n{\"id\":01}\n{\"id\":\"x\",\"n\":1.}\n{\"id\":\"x\",\"n\":+1}\n{\"n\":NaN}");
  ASSERT_EQ(documents.size(), 1u);
  EXPECT_EQ(documents[0].id, "1e999");
  ASSERT_EQ(documents[0].values.size(), 5u);
  EXPECT_EQ(documents[0].values[0].text, "123456789012345678901234567890");
  EXPECT_EQ(documents[0].values[1].text, "1e999");
  EXPECT_EQ(documents[0].values[2].text, "2");
  EXPECT_EQ(documents[0].values[4].text, "-1E-999");
  EXPECT_EQ(Invalid(), 4u);
}

TEST_F(JsonlTest, HandsOverTheWholeLineAsItStands) {
  const auto documents =
      Parse("{\"id\" : \"x\", \"n\":1.50 ,\"a\":\"b\\u0041\"} \r\n{\"id\":\"\xff\"}",
            {.id_field = "id", .fields = {"none"}});
  ASSERT_EQ(documents.size(), 2u);
  EXPECT_EQ(documents[0].record, "{\"id\" : \"x\", \"n\":1.50 ,\"a\":\"b\\u0041\"} ");
  EXPECT_EQ(documents[1].record, "{\"id\":\"\xef\xbf\xbd\"}");
}

TEST_F(JsonlTest, TakesOnlyTheFieldsThatAreAskedFor) {
  const auto documents = Parse(R"({"id":"x","title":"T","body":"B","a":{"title":"no"}})",
                               {.id_field = "id", .fields = {"title", "missing"}});
  ASSERT_EQ(documents.size(), 1u);
  EXPECT_EQ(documents[0].fields, (Fields{{"title", "T"}}));
}

TEST_F(JsonlTest, TakesTheIdForTextOnlyWhereItIsListed) {
  const char* json = R"({"id":"x","a":{"id":"y"}})";
  EXPECT_EQ(Parse(json)[0].fields, (Fields{{"a.id", "y"}}));
  EXPECT_EQ(Parse(json, {.id_field = "a.id", .fields = {}})[0].fields, (Fields{{"id", "x"}}));
  EXPECT_EQ(Parse(json, {.id_field = "id", .fields = {"id"}})[0].fields, (Fields{{"id", "x"}}));
}

// Otherwise a line of 10 MB could name a field of 5 MB a million times.
TEST_F(JsonlTest, KeepsOfATooLongNameOnlyThatItIsTooLong) {
  const std::string key(10 << 20, 'k');
  const auto documents = Parse("{\"" + key + "\":{\"a\":\"x\",\"b\":[\"y\",\"z\"]}}");
  ASSERT_EQ(documents.size(), 1u);
  ASSERT_EQ(documents[0].fields.size(), 3u);
  for (const auto& [name, text] : documents[0].fields) {
    EXPECT_EQ(name.size(), kMaxFieldNameBytes + 1);
  }
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
  EXPECT_EQ(documents[0].fields[0].second, "caf\xef\xbf\xbd");
  EXPECT_TRUE(documents[1].valid_utf8);
}

TEST_F(JsonlTest, CountsBlankLinesAsLines) {
  const auto documents = Parse("\n  \t\r\n{\"id\":\"a\"}\r\n\n{\"id\":\"b\"}");
  ASSERT_EQ(documents.size(), 2u);
  EXPECT_EQ(documents[0].place, "in:3");
  EXPECT_EQ(documents[1].place, "in:5");
}

TEST_F(JsonlTest, TakesStringsAsTheyStandAndWithEveryEscape) {
  const auto documents = Parse(
      R"({"id":"x","plain":"a b" , "esc":"q\"s\\b\/n\nt\tu\u00e9\ud83d\ude00","e\u0041":"","p2":"end"})");
  ASSERT_EQ(documents.size(), 1u);
  EXPECT_EQ(documents[0].fields.at(0), (std::pair<std::string, std::string>{"plain", "a b"}));
  EXPECT_EQ(documents[0].fields.at(1).second, "q\"s\\b/n\nt\tu\xc3\xa9\xf0\x9f\x98\x80");
  EXPECT_EQ(documents[0].fields.at(2), (std::pair<std::string, std::string>{"eA", ""}));
  EXPECT_EQ(documents[0].fields.at(3).second, "end");
}

TEST_F(JsonlTest, ReportsWhatIsNotValidInAValueThatNobodyAskedFor) {
  int bad = 0;
  for (const std::string value :
       {"[1,2", "[1 2]", "[1,]", "nul", "nullx", "truE", "1.", "-", "{\"k\" 1}", "{\"k\":}", "{,}",
        "\"\\x\"", "\"\\u12g4\"", "1}", "[1}", "{\"a\":1]"}) {
    EXPECT_TRUE(Parse("{\"id\":\"x\",\"t\":\"y\",\"other\":" + value + "}",
                      {.id_field = "id", .fields = {"t"}})
                    .empty())
        << value;
    EXPECT_EQ(Invalid(), static_cast<uint64_t>(++bad)) << value;
  }
}

TEST_F(JsonlTest, ALongLineMayTakeHalfOfItsMemoryAndItsTextTheOther) {
  constexpr size_t kMemory = size_t{3} << 20;
  const JsonlOptions options = {.id_field = "id", .fields = {}, .line_memory_bytes = kMemory};
  const auto line = [](std::string_view piece, size_t size_bytes) {
    std::string text = "{\"id\":\"x\",\"t\":\"";
    while (text.size() + piece.size() + 2 <= size_bytes) text += piece;
    return text + "\"}";
  };
  for (const char* piece : {"some words, ", "escaped\\n "}) {
    const auto documents = Parse(line(piece, kMemory / 2), options);
    ASSERT_EQ(documents.size(), 1u) << piece;
    EXPECT_GT(documents[0].fields.at(0).second.size(), kMemory / 3);
  }
  std::string numbers = "{\"id\":\"x\",\"vector\":[0.1234567";
  while (numbers.size() < kMemory / 2) numbers += ",0.1234567";
  const JsonlOptions roomy = {.id_field = "id", .fields = {}, .line_memory_bytes = kMemory * 8};
  EXPECT_EQ(Parse(numbers + "]}", roomy).size(), 1u);
  EXPECT_TRUE(problems_.problems().empty());
}

TEST_F(JsonlTest, ALineWhoseNamesTakeMoreMemoryThanItMayIsReportedAndTheNextIsRead) {
  std::string line = "{\"id\":\"x\",\"" + std::string(250, 'k') + "\":{\"c\":\"\"";
  for (int i = 0; i < 10'000; ++i) line += ",\"a\":\"\",\"b\":\"\"";
  const auto documents = Parse(line + "}}\n{\"id\":\"next\"}\n");
  ASSERT_EQ(documents.size(), 1u);
  EXPECT_EQ(documents[0].id, "next");
  EXPECT_EQ(problems_.problems().at(ProblemKind::kLineTooLong).count, 1u);
}

TEST_F(JsonlTest, ALongLineOfVeryManyValuesIsReportedAndNotParsed) {
  const JsonlOptions options = {
      .id_field = "id", .fields = {}, .line_memory_bytes = size_t{2} << 20};
  const auto filled = [](std::string text, std::string_view piece, std::string_view end) {
    while (text.size() < (size_t{5} << 20) / 4) text += piece;
    return text + std::string(end);
  };
  EXPECT_TRUE(Parse(filled("{\"a\":[1", ",1", "]}"), options).empty());
  EXPECT_TRUE(Parse(filled("{\"a\":[\"\"", ",\"\"", "]}"), options).empty());
  EXPECT_TRUE(Parse(filled("{1", " 1", "}"), options).empty());
  EXPECT_TRUE(Parse(filled("{\"t\":\"caf\xe9", " word\\n", "\"}"), options).empty())
      << "the line, the line repaired, and its text";
  EXPECT_EQ(problems_.problems().at(ProblemKind::kLineTooLong).count, 4u);
  EXPECT_EQ(problems_.problems().size(), 1u);
}

}  // namespace jsonl_test
}  // namespace pmdex
