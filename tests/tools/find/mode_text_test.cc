#include "tools/find/mode_text.h"

#include <gtest/gtest.h>

namespace pmdex {
namespace mode_text_test {

TEST(ModeText, OctalAndSymbolicModesAreTheSame) {
  const std::pair<const char*, uint32_t> modes[] = {
      {"644", 0644},  {"0755", 0755},      {"u=rw,g=r", 0640},
      {"a+r", 0444},  {"+x", 0111},        {"u+s,g+s", 06000},
      {"+t", 01000},  {"u=rwx,u-w", 0500}, {"0", 0},
      {"ug+w", 0220}, {"u+r=w", 0200},     {"7777", 07777},
      {"a=rx", 0555}, {"u=rw,g=u", 0660},  {"u=rwx,go=u,o-g", 0770},
      {"g=u", 0}};
  for (const auto& [text, bits] : modes) {
    const auto test = ParseModeTest(text);
    ASSERT_TRUE(test.has_value()) << text;
    EXPECT_EQ(test->bits, bits) << text;
    EXPECT_EQ(test->directory_bits, bits) << text;
  }
  EXPECT_EQ(ParseModeTest("a+X")->bits, 0u);
  EXPECT_EQ(ParseModeTest("a+X")->directory_bits, 0111u);
  EXPECT_TRUE(ParseModeTest("-a+X")->ForDirectories().Holds(0755));
  EXPECT_FALSE(ParseModeTest("-a+X")->ForDirectories().Holds(0700));
  for (const char* text :
       {"", "-", "8", "10000", "u", "u+q", "u+r,", "x", "u~r", "/", "g=ur", "g=ru"}) {
    EXPECT_FALSE(ParseModeTest(text).has_value()) << text;
  }
}

TEST(ModeText, TestsAreExactOrAllOrAnyOfTheBits) {
  EXPECT_TRUE(ParseModeTest("644")->Holds(0644));
  EXPECT_FALSE(ParseModeTest("644")->Holds(0645));
  EXPECT_TRUE(ParseModeTest("-644")->Holds(0755));
  EXPECT_FALSE(ParseModeTest("-644")->Holds(0640));
  EXPECT_TRUE(ParseModeTest("/022")->Holds(0620));
  EXPECT_FALSE(ParseModeTest("/022")->Holds(0755));
  EXPECT_TRUE(ParseModeTest("/0")->Holds(0755)) << "no bits: any mode";
  EXPECT_TRUE(ParseModeTest("-0")->Holds(0));
}

TEST(ModeText, LettersAreThoseOfLs) {
  EXPECT_EQ(ModeLetters('f', 0644), "-rw-r--r--");
  EXPECT_EQ(ModeLetters('d', 01777), "drwxrwxrwt");
  EXPECT_EQ(ModeLetters('d', 01776), "drwxrwxrwT");
  EXPECT_EQ(ModeLetters('f', 06755), "-rwsr-sr-x");
  EXPECT_EQ(ModeLetters('f', 06644), "-rwSr-Sr--");
  EXPECT_EQ(ModeLetters('l', 0777), "lrwxrwxrwx");
}

}  // namespace mode_text_test
}  // namespace pmdex
