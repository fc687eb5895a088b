#include "tools/report/html_text.h"

#include <string_view>

#include "gtest/gtest.h"

namespace pmdex {
namespace html_text_test {

TEST(HtmlText, ReplacesEveryCharacterThatMeansSomethingInHtml) {
  EXPECT_EQ(EscapeHtml("<a href=\"x\">'&'</a>"),
            "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;");
}

TEST(HtmlText, LeavesNoControlCharacterAndNoIllFormedByte) {
  EXPECT_EQ(EscapeHtml(std::string_view("a\0b\nc\x1b\x7f", 7)), "a b c  ");
  EXPECT_EQ(EscapeHtml("\xff"), "\xEF\xBF\xBD");
  EXPECT_EQ(EscapeHtml("\u00e4\u20ac"), "\u00e4\u20ac");
}

}  // namespace html_text_test
}  // namespace pmdex
