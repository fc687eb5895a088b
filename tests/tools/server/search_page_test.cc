#include "tools/server/search_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

namespace pmdex {
namespace search_page_test {

using testing::HasSubstr;
using testing::Not;

std::string PolicyOf(const HttpResponse& page) {
  for (const auto& [name, value] : page.headers) {
    if (name == "Content-Security-Policy") return value;
  }
  return "";
}

std::string NonceOf(const HttpResponse& page) {
  const std::string policy = PolicyOf(page);
  std::smatch match;
  EXPECT_TRUE(std::regex_search(policy, match, std::regex("script-src 'nonce-([^']+)'")));
  return match[1];
}

TEST(SearchPage, LetsTheBrowserRunItsOwnScriptOnly) {
  const HttpResponse page = SearchPage();
  EXPECT_EQ(page.content_type, "text/html; charset=utf-8");
  EXPECT_THAT(PolicyOf(page), HasSubstr("default-src 'none'"));
  EXPECT_THAT(page.body, HasSubstr("<script nonce=\"" + NonceOf(page) + "\">"));
  EXPECT_THAT(page.body, Not(HasSubstr("@NONCE@")));
}

TEST(SearchPage, HasANewNonceEachTime) {
  EXPECT_GE(NonceOf(SearchPage()).size(), 16u);
  EXPECT_NE(NonceOf(SearchPage()), NonceOf(SearchPage()));
}

TEST(SearchPage, AsksForNothingOfOtherServersAndMakesNoHtmlOfText) {
  const std::string body = SearchPage().body;
  EXPECT_THAT(body, Not(HasSubstr("http:")));
  EXPECT_THAT(body, Not(HasSubstr("https:")));
  EXPECT_THAT(body, Not(HasSubstr("innerHTML")));
  EXPECT_THAT(body, Not(testing::ContainsRegex(" on[a-z]+=")));
  EXPECT_THAT(body, Not(HasSubstr(" style=")));
}

}  // namespace search_page_test
}  // namespace pmdex
