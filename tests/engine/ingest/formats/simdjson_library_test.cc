#include "engine/ingest/formats/simdjson_library.h"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <string_view>

namespace pmdex {
namespace simdjson_library_test {

TEST(SimdjsonLibrary, AnswersThroughTheLoadedFunctions) {
  ASSERT_TRUE(LoadSimdjson().ok()) << LoadSimdjson();
  EXPECT_TRUE(simdjson::validate_utf8("caf\xC3\xA9", 5));
  EXPECT_FALSE(simdjson::validate_utf8("caf\xC3", 4));
  EXPECT_NE(simdjson::get_active_implementation()->name(), "");
}

TEST(SimdjsonLibrary, ParsesTrees) {
  simdjson::dom::parser parser;
  std::string_view word;
  EXPECT_EQ(parser.parse(std::string_view("{\"a\": [\"b\"]}")).at_pointer("/a/0").get(word),
            simdjson::SUCCESS);
  EXPECT_EQ(word, "b");
}

// The inline functions of On-Demand read tables (of hexadecimal digits, of what ends a number, of
// powers of ten and five) and call from_chars.
TEST(SimdjsonLibrary, ReadsStringsAndNumbersByItsTables) {
  const simdjson::padded_string json(
      std::string_view(R"({"text": "\u00e9", "whole": 12, "part": 1.5e-7, "far": 1.5e300})"));
  simdjson::ondemand::parser parser;
  simdjson::ondemand::document document;
  ASSERT_EQ(parser.iterate(json).get(document), simdjson::SUCCESS);
  std::string_view text;
  EXPECT_EQ(document["text"].get(text), simdjson::SUCCESS);
  EXPECT_EQ(text, "\xC3\xA9");
  EXPECT_EQ(document["whole"].get_int64().value_unsafe(), 12);
  EXPECT_EQ(document["part"].get_double().value_unsafe(), 1.5e-7);
  EXPECT_EQ(document["far"].get_double().value_unsafe(), 1.5e300);
  EXPECT_EQ(simdjson::internal::from_chars("0.1"), 0.1);
}

TEST(SimdjsonLibrary, HasTheWordsOfErrors) {
  ASSERT_TRUE(LoadSimdjson().ok()) << LoadSimdjson();
  EXPECT_NE(std::string_view(simdjson::error_message(simdjson::UTF8_ERROR)).find("UTF-8"),
            std::string_view::npos);
}

}  // namespace simdjson_library_test
}  // namespace pmdex
