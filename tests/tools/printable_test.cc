#include "tools/printable.h"

#include "gtest/gtest.h"

#include "tools/utf8.h"

namespace pmdex {
namespace printable_test {

size_t Characters(std::string_view text) {
  size_t count = 0;
  for (; !text.empty(); ++count) text.remove_prefix(ScanUtf8(text).size_bytes);
  return count;
}

TEST(Printable, KeepsWhatATerminalShows) {
  for (const char* text :
       {"", "plain", "C:\\a b", "na\u00efve \u65e5\u672c \U0001F600", "\u00a0"}) {
    EXPECT_EQ(Printable(text), text);
  }
}

TEST(Printable, EscapesEveryControlCharacter) {
  EXPECT_EQ(Printable("a\x1b[31mb\nc\td\r"), "a\\x1b[31mb\\nc\\td\\r");
  EXPECT_EQ(Printable(std::string_view("\0\x7f", 2)), "\\x00\\x7f");
  EXPECT_EQ(Printable("\u009b31m"), "\\xc2\\x9b31m") << "C1, as UTF-8";
  for (int c = 0; c < 0xA0; ++c) {
    const bool control = c < 0x20 || c >= 0x7f;
    const std::string text = c < 0x80 ? std::string(1, static_cast<char>(c))
                                      : "\xc2" + std::string(1, static_cast<char>(c));
    EXPECT_EQ(Printable(text) != text, control) << c;
  }
}

TEST(Printable, EscapesBytesThatAreNoUtf8) {
  EXPECT_EQ(Printable("\x9b"
                      "31m"),
            "\\x9b31m")
      << "C1, as a terminal in an 8-bit mode reads it";
  EXPECT_EQ(Printable("caf\xe9"), "caf\\xe9");
  EXPECT_EQ(Printable("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "a surrogate";
}

TEST(Printable, CutsAtTheBorderOfACharacter) {
  EXPECT_EQ(PrintableHead("abcdef", 6), "abcdef");
  EXPECT_EQ(PrintableHead("abcdefg", 6), "abc...");
  EXPECT_EQ(PrintableHead("\u65e5\u672c\u65e5\u672c\u65e5", 4), "\u65e5...");
  EXPECT_EQ(PrintableHead("ab\x1b\x1b", 6), "ab...") << "an escape is whole or not there";
  EXPECT_EQ(PrintableHead("abc", 2), "..");
  EXPECT_EQ(PrintableHead("abc", 0), "");
}

TEST(MessageLine, HasAtMostThreeHundredCharacters) {
  EXPECT_EQ(MessageLine("pmdex: error: ", "short (hint: do)"), "pmdex: error: short (hint: do)");
  for (const std::string_view part : {"a", "\u65e5", "\n", "\xff"}) {
    std::string message;
    for (int i = 0; i < 1000; ++i) message += part;
    for (const char* end : {"", " (hint: try again)"}) {
      const std::string line = MessageLine("pmdex: error: ", message + end);
      EXPECT_LE(Characters(line), kMostMessageCharacters);
      EXPECT_GT(Characters(line), kMostMessageCharacters - 4);
      EXPECT_TRUE(line.ends_with("..." + std::string(end))) << line;
    }
  }
}

TEST(MessageLine, DropsAHintThatWouldLeaveNoSpaceForTheError) {
  const std::string line =
      MessageLine("pmdex: error: ", "what (hint: " + std::string(10'000'000, 'h') + ")");
  EXPECT_EQ(line.size(), kMostMessageCharacters);
  EXPECT_TRUE(line.starts_with("pmdex: error: what (hint: hhh"));
}

}  // namespace printable_test
}  // namespace pmdex
