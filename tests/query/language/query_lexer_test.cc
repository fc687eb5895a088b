#include "query/language/query_lexer.h"

#include <string>
#include <string_view>

#include "gtest/gtest.h"

namespace pmdex {
namespace query_lexer_test {

// The kinds of the tokens as letters: w word, q quoted, b bare operator, r regular expression;
// other tokens as written.
std::string Kinds(std::string_view text) {
  QueryLexer lexer(text);
  std::string kinds;
  while (true) {
    const auto token = lexer.Next();
    if (!token.ok()) return kinds + "error";
    if (token->kind == QueryTokenKind::kEnd) return kinds;
    kinds += "$&|!+-b():^~qwr"[static_cast<int>(token->kind)];
  }
}

TEST(QueryLexer, TakesTheLongestToken) {
  EXPECT_EQ(Kinds("a AND b&&c && d"), "w&w&w");  // b&&c is one word
  EXPECT_EQ(Kinds("ANDY OR* NOT"), "ww!");
  EXPECT_EQ(Kinds("+a -b !c a-b a+b a!b"), "+w-w!wwww!w");
  EXPECT_EQ(Kinds("f:(a b)^2"), "w:(ww)^");
  EXPECT_EQ(Kinds("\"a b\"~3 w~"), "q~w~");
  EXPECT_EQ(Kinds("*:* a*b?"), "w:ww");
}

TEST(QueryLexer, TakesOperatorsBeforeWhiteSpaceAsWords) {
  EXPECT_EQ(Kinds("a - b"), "wbw");
  EXPECT_EQ(Kinds("a + b ! c"), "wbwbw");
  EXPECT_EQ(Kinds("a -\u3000b"), "wbw");
  EXPECT_EQ(Kinds("a -"), "w-");
}

TEST(QueryLexer, TellsWildcardsFromEscapedOnes) {
  const auto next = [](std::string_view text) { return *QueryLexer(text).Next(); };
  EXPECT_EQ(next("ab*").wildcards, 1u);
  EXPECT_EQ(next("a?b*c").wildcards, 2u);
  EXPECT_EQ(next("ab\\*").wildcards, 0u);
  EXPECT_EQ(next("ab\\\\*").wildcards, 1u);
}

TEST(QueryLexer, SeesAColonBehindWhiteSpace) {
  for (const char* text : {"a:b", "a :b", "a \u3000 : b"}) {
    QueryLexer lexer(text);
    EXPECT_EQ(lexer.Next()->text, "a");
    EXPECT_TRUE(lexer.IsBeforeColon()) << text;
    EXPECT_EQ(lexer.Next()->kind, QueryTokenKind::kColon) << text;
    EXPECT_FALSE(lexer.IsBeforeColon()) << text;
    EXPECT_EQ(lexer.Next()->text, "b") << text;
    EXPECT_FALSE(lexer.IsBeforeColon()) << text;
  }
}

// U+3042 begins with the same byte as the space U+3000.
TEST(QueryLexer, TellsTheWideSpaceFromLettersThatBeginLikeIt) {
  QueryLexer lexer("\u3042b\u3042\u3000c\xe3 \xe3\x80");
  EXPECT_EQ(lexer.Next()->text, "\u3042b\u3042");
  EXPECT_EQ(lexer.Next()->text, "c\xe3");
  EXPECT_EQ(lexer.Next()->text, "\xe3\x80");
  EXPECT_EQ(lexer.Next()->kind, QueryTokenKind::kEnd);
  const auto range = *QueryLexer("[\u3042:1\u3000TO\u3000\u3042\\]\t]").Next();
  EXPECT_EQ(range.low, "\u3042:1");
  EXPECT_EQ(range.high, "\u3042\\]");
}

TEST(QueryLexer, StaysAtTheEnd) {
  QueryLexer lexer(" a ");
  EXPECT_EQ(lexer.Next()->kind, QueryTokenKind::kWord);
  EXPECT_EQ(lexer.Next()->kind, QueryTokenKind::kEnd);
  EXPECT_EQ(lexer.Next()->kind, QueryTokenKind::kEnd);
}

TEST(QueryLexer, TakesRegularExpressionsBetweenSlashes) {
  EXPECT_EQ(Kinds("/a b/ f:/a/^2 x"), "rw:r^w");
  EXPECT_EQ(Kinds("a/b/c"), "wrw");  // as in Lucene, a slash ends a word
  EXPECT_EQ(Kinds("a\\/b"), "w");
  EXPECT_EQ(Kinds("/a"), "error");
  EXPECT_EQ(Kinds("a/b"), "werror");
  const auto text = [](std::string_view query) { return (*QueryLexer(query).Next()).text; };
  EXPECT_EQ(text("//"), "");
  EXPECT_EQ(text("/[a\\/]b/ c/"), "[a\\/]b");
  EXPECT_EQ(text("/a\\/ b"), "a\\");        // the last slash, if a backslash is before all of them
  EXPECT_EQ(text("/a\\\\/b/"), "a\\\\/b");  // whatever is before the backslash
}

TEST(QueryLexer, RefusesNumbersOfCharactersThatAreNone) {
  EXPECT_EQ(Kinds("\\u0041*"), "w");
  EXPECT_EQ((*QueryLexer("\\u0041*").Next()).wildcards, 1u);
  for (const char* query : {"a\\u00", "\\u00zz", "\"\\u004\"", "\\ud800", "f:x\\u12"}) {
    EXPECT_EQ(Kinds(query).substr(Kinds(query).size() - 5), "error") << query;
  }
}

}  // namespace query_lexer_test
}  // namespace pmdex
