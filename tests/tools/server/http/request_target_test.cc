#include "tools/server/http/request_target.h"

#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace pmdex {
namespace request_target_test {

using Parameters = std::vector<std::pair<std::string, std::string>>;

TEST(RequestTarget, SplitsAndDecodesPathAndParameters) {
  const auto target = ParseRequestTarget("/my%20index/_search?q=a+b%2Bc&k=3&count&=x&&z=%C3%A9");
  ASSERT_TRUE(target.ok()) << target.status();
  EXPECT_EQ(target->path, (std::vector<std::string>{"my index", "_search"}));
  EXPECT_EQ(target->parameters,
            (Parameters{{"q", "a b+c"}, {"k", "3"}, {"count", ""}, {"", "x"}, {"z", "\xC3\xA9"}}));
}

TEST(RequestTarget, KeepsAnEncodedSlashInsideItsPart) {
  EXPECT_EQ(ParseRequestTarget("/a%2Fb/+/")->path, (std::vector<std::string>{"a/b", "+"}));
  EXPECT_EQ(ParseRequestTarget("/")->path, std::vector<std::string>());
  EXPECT_EQ(ParseRequestTarget("//a")->path, (std::vector<std::string>{"", "a"}));
  EXPECT_EQ(ParseRequestTarget("http://host:80/a?b=1")->path, std::vector<std::string>{"a"});
  EXPECT_EQ(ParseRequestTarget("http://host")->path, std::vector<std::string>());
}

TEST(RequestTarget, RefusesWrongEncodings) {
  for (const char* target : {"/%", "/%1", "/%zz", "/a?b=%4", "/%00", "/?a=%00", "host:80", "*"}) {
    EXPECT_FALSE(ParseRequestTarget(target).ok()) << target;
  }
  EXPECT_EQ(*PercentDecode("%41", false), "A");
}

TEST(RequestTarget, EncodedTextDecodesToItself) {
  std::string every_byte;
  for (int byte = 1; byte < 256; ++byte) every_byte += static_cast<char>(byte);
  EXPECT_EQ(*PercentDecode(PercentEncode(every_byte), true), every_byte);
}

}  // namespace request_target_test
}  // namespace pmdex
