#include "query/language/query_escapes.h"

#include <string>

#include "gtest/gtest.h"

namespace pmdex {
namespace query_escapes_test {

TEST(QueryEscapes, AreTheCharacterBehindTheBackslash) {
  EXPECT_EQ(Unescape("a\\:b\\\\c\\\u00e9"), "a:b\\c\u00e9");
  EXPECT_EQ(EscapeBytes("\\:b"), 2u);
  EXPECT_EQ(EscapeBytes("\\\u20acb"), 4u);
}

TEST(QueryEscapes, AreTheCharacterOfANumber) {
  EXPECT_EQ(Unescape("\\u0041b\\u00e9\\u20ACx"), "Ab\u00e9\u20acx");
  EXPECT_EQ(EscapeBytes("\\u0041b"), 6u);
  EXPECT_EQ(Unescape("\\\\u0041"), "\\u0041");  // an escaped backslash, and letters
  EXPECT_EQ(Unescape("\\U0041"), "U0041");
}

TEST(QueryEscapes, TakePairsBeyondSixteenBits) {
  EXPECT_EQ(EscapeBytes("\\ud83d\\ude00x"), 12u);
  EXPECT_EQ(Unescape("\\uD83D\\uDE00"), "\U0001f600");
  for (const char* half : {"\\ud83d", "\\ude00\\ud83d", "\\ud83dx", "\\ud83d\\u0041", "\\ude00"}) {
    EXPECT_EQ(EscapeBytes(half), 0u) << half;
  }
}

TEST(QueryEscapes, NeedFourHexadecimalDigits) {
  for (const char* text : {"\\", "\\u", "\\u004", "\\u004g", "\\u 041", "\\u-041", "\\u0x41"}) {
    EXPECT_EQ(EscapeBytes(text), 0u) << text;
  }
}

TEST(QueryEscapes, LeaveOthersInPatterns) {
  EXPECT_EQ(UnescapeNumbers("a\\*\\u002a*\\u0041?"), "a\\*\\**\\A?");
}

}  // namespace query_escapes_test
}  // namespace pmdex
