#include "tools/json_writer.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>

#include "gtest/gtest.h"

#include "nlohmann/json.hpp"

namespace pmdex {
namespace json_writer_test {

std::string Quoted(std::string_view text) {
  return JsonWriter().String(text).result();
}

TEST(JsonWriter, WritesRawValuesAsTheyStand) {
  JsonWriter json;
  json.BeginArray().Raw("{ \"a\" :1.50}").Raw("2").EndArray();
  EXPECT_EQ(json.result(), "[{ \"a\" :1.50},2]");
}

TEST(JsonWriter, PutsCommasBetweenSiblingsAndNowhereElse) {
  JsonWriter json;
  json.BeginObject();
  json.Key("empty").BeginArray().EndArray();
  json.Key("list").BeginArray().Int(-1).Bool(true).Null().BeginObject().EndObject().EndArray();
  json.Key("inner").BeginObject().Key("a").Uint(1).Key("b").String("x").EndObject();
  json.EndObject();
  EXPECT_EQ(json.result(), R"({"empty":[],"list":[-1,true,null,{}],"inner":{"a":1,"b":"x"}})");
}

TEST(JsonWriter, WritesABareValueAsADocument) {
  EXPECT_EQ(JsonWriter().Bool(false).result(), "false");
  EXPECT_EQ(JsonWriter().Null().result(), "null");
}

TEST(JsonWriter, EscapesQuotesBackslashesAndEveryControlCharacter) {
  EXPECT_EQ(Quoted("a\"b\\c/d"), R"("a\"b\\c/d")");
  EXPECT_EQ(Quoted("\b\f\n\r\t"), R"("\b\f\n\r\t")");
  EXPECT_EQ(Quoted(std::string_view("\0\x01\x1f\x7f", 4)), R"("\u0000\u0001\u001f\u007f")");
}

TEST(JsonWriter, EscapesKeysLikeStrings) {
  JsonWriter json;
  json.BeginObject().Key("a\n\xff").Int(0).EndObject();
  EXPECT_EQ(json.result(), "{\"a\\n\xEF\xBF\xBD\":0}");
}

TEST(JsonWriter, KeepsValidUtf8AsItIs) {
  const std::string text = "\u00e4\u20ac\U0001F600\u07ff\uffff\U0010FFFF\ud7ff";
  EXPECT_EQ(Quoted(text), '"' + text + '"');
}

TEST(JsonWriter, ReplacesEachIllFormedPartByOneReplacementCharacter) {
  const std::string r = "\xEF\xBF\xBD";
  EXPECT_EQ(ToValidUtf8("a\xff\xfe"
                        "b"),
            "a" + r + r + "b");
  EXPECT_EQ(ToValidUtf8("\x80"), r);                          // a continuation byte alone
  EXPECT_EQ(ToValidUtf8("\xC0\x80"), r + r);                  // overlong
  EXPECT_EQ(ToValidUtf8("\xE0\x80\x80"), r + r + r);          // overlong
  EXPECT_EQ(ToValidUtf8("\xED\xA0\x80"), r + r + r);          // a surrogate
  EXPECT_EQ(ToValidUtf8("\xF4\x90\x80\x80"), r + r + r + r);  // above U+10FFFF
  EXPECT_EQ(ToValidUtf8("\xE2\x82"), r);                      // cut: one maximal subpart
  EXPECT_EQ(ToValidUtf8("\xF0\x9F\x98x"), r + "x");           // cut inside
  EXPECT_EQ(ToValidUtf8("\xE2\x82\xE2\x82\xAC"), r + "\u20ac");
}

TEST(JsonWriter, EscapesBytesOfNamesThatAreNotUtf8) {
  EXPECT_EQ(EscapeBadUtf8("caf\xe9"), "caf\\xe9");
  EXPECT_EQ(EscapeBadUtf8("caf\u00e9 \\ \n"), "caf\u00e9 \\ \n") << "what is UTF-8 stays";
  EXPECT_EQ(EscapeBadUtf8("\xE2\x82"), "\\xe2\\x82") << "a character that is cut";
  EXPECT_NE(EscapeBadUtf8("a\xff"), EscapeBadUtf8("a\xfe"));
  EXPECT_EQ(JsonWriter().Name("a\xff\n").result(), "\"a\\\\xff\\n\"");
}

TEST(JsonWriter, WritesTheLimitsOfIntegers) {
  JsonWriter json;
  json.BeginArray();
  json.Int(std::numeric_limits<int64_t>::min()).Int(std::numeric_limits<int64_t>::max());
  json.Uint(std::numeric_limits<uint64_t>::max()).EndArray();
  EXPECT_EQ(json.result(), "[-9223372036854775808,9223372036854775807,18446744073709551615]");
}

TEST(JsonWriter, WritesDoublesThatReadBackEqual) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 1000; ++i) {
    const double value = std::ldexp(static_cast<double>(random()), static_cast<int>(i % 600) - 300);
    const auto parsed = nlohmann::json::parse(JsonWriter().Double(value).result());
    EXPECT_EQ(parsed.get<double>(), value);
  }
  EXPECT_EQ(JsonWriter().Double(0.1).result(), "0.1");
  EXPECT_EQ(JsonWriter().Double(-0.0).result(), "-0.0");
}

TEST(JsonWriter, WritesNullForWhatJsonCannotSay) {
  EXPECT_EQ(JsonWriter().Double(std::nan("")).result(), "null");
  EXPECT_EQ(JsonWriter().Double(HUGE_VAL).result(), "null");
  EXPECT_EQ(JsonWriter().Double(-HUGE_VAL).result(), "null");
}

TEST(JsonWriter, MakesAnyBytesADocumentThatParses) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 2000; ++i) {
    std::string text(random() % 40, '\0');
    for (char& c : text) c = static_cast<char>(random());
    const auto parsed = nlohmann::json::parse(Quoted(text));
    EXPECT_EQ(parsed.get<std::string>(), ToValidUtf8(text));
  }
}

TEST(JsonWriterDeathTest, RefusesWrongNesting) {
  EXPECT_DEATH(JsonWriter().BeginObject().EndArray(), "broken invariant");
  EXPECT_DEATH(JsonWriter().BeginObject().Int(1), "broken invariant");
  EXPECT_DEATH(JsonWriter().BeginArray().Key("a"), "broken invariant");
  EXPECT_DEATH(JsonWriter().BeginObject().Key("a").EndObject(), "broken invariant");
  EXPECT_DEATH(JsonWriter().Int(1).Int(2), "broken invariant");
}

}  // namespace json_writer_test
}  // namespace pmdex
