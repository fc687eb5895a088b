#include "tools/server/elasticsearch/json_text.h"

#include <string>

#include "gtest/gtest.h"

namespace pmdex {
namespace json_text_test {

TEST(JsonText, WritesFloatsAsShortAsTheyReadBack) {
  const Json value = {{"a", JsonFloat(0.2876821f)}, {"b", JsonFloat(1)}, {"c", 1e300}};
  EXPECT_EQ(ToJsonText(value), R"({"a":0.2876821,"b":1.0,"c":1e+300})");
}

TEST(JsonText, LeavesRawValuesAsTheyAre) {
  const std::string raw = "{\"n\" : 1.50, \"big\":123456789012345678901234567890}";
  Json value = {{"_source", RawJson(raw)}};
  EXPECT_EQ(ToJsonText(value), "{\"_source\":" + raw + "}");
  ParseRawJson(value);
  EXPECT_EQ(value["_source"]["n"], 1.5);
}

TEST(JsonText, IndentsToJsonOfTheSameValue) {
  const std::string text = R"({"a":[],"b":[1,{"c\"}":"x:,{"}],"d":{ }})";
  const std::string indented = Indented(text);
  EXPECT_EQ(Json::parse(indented), Json::parse(text));
  EXPECT_EQ(indented.substr(0, 12), "{\n  \"a\" : []");
  EXPECT_EQ(Indented("5"), "5\n");
}

TEST(JsonText, RefusesWhatNestsTooDeepOrIsNoJson) {
  EXPECT_TRUE(ParseJson("[[[\"]]]]]\"]]]", 3).ok());
  EXPECT_FALSE(ParseJson("[[[[]]]]", 3).ok());
  EXPECT_FALSE(ParseJson(std::string(1'000'000, '['), 100).ok());
  for (const char* bad : {"", "{", "{\"a\":}", "[1,]", "\"\xff\"", "1 2", "1e999"}) {
    EXPECT_FALSE(ParseJson(bad, 10).ok()) << bad;
  }
}

TEST(JsonText, RefusesAKeyThatComesTwiceInAnObject) {
  EXPECT_TRUE(ParseJson(R"({"a": {"b": ":"}, "c": [{"b": 1}, {"b": 2}]})", 10).ok());
  for (const char* twice : {R"({"a": 1, "a": 1})", R"([{"x": {"a": 1, "b": 2, "a": 3}}])"}) {
    EXPECT_NE(ParseJson(twice, 10).status().message().find("a key twice"), std::string::npos)
        << twice;
  }
}

}  // namespace json_text_test
}  // namespace pmdex
