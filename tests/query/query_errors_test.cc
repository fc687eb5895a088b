// Tests which queries the parser refuses, and the place to which the error points.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"

#include "query/language/query_parser.h"
#include "tests/query/query_parsing.h"

namespace pmdex {
namespace query_errors_test {

TEST(QueryErrors, PointsAtTheColumnOfEveryError) {
  Parsing parsing;
  for (const ParsingCase& c : std::vector<ParsingCase>{
           {"", "column 1: the query is empty"},
           {" \t\n", "column 1: the query is empty"},
           {"(a", "column 1: the parenthesis is never closed"},
           {"x (a (b)", "column 3: the parenthesis is never closed"},
           {"a)", "column 2: a closing parenthesis without an opening one"},
           {")", "column 1: a closing parenthesis without an opening one"},
           {"()", "column 1: the parentheses are empty"},
           {"a \"b c", "column 3: the quotation mark is never closed"},
           {"\"b\\\"", "column 1: the quotation mark is never closed"},
           {"AND a", "column 1: nothing stands before 'AND'"},
           {"OR", "column 1: nothing stands before 'OR'"},
           {"(&& a)", "column 2: nothing stands before '&&'"},
           {"a AND", "column 3: nothing follows 'AND'"},
           {"(a ||)", "column 4: nothing follows '||'"},
           {"a AND OR b", "column 7: two operators in a row"},
           {"a OR AND b", "column 6: two operators in a row"},
           {"NOT", "column 1: nothing follows 'NOT'"},
           {"a -", "column 3: nothing follows '-'"},
           {"a - ", "column 3: nothing follows '-'"},
           {"(a +)", "column 4: nothing follows '+'"},
           {"+-a", "column 2: two operators in a row"},
           {"NOT NOT a", "column 5: two operators in a row"},
           {"a NOT AND b", "column 7: two operators in a row"},
           {":a", "column 1: no field name stands before the colon"},
           {"a:b:c", "column 4: no field name stands before the colon"},
           {"\"f\":a", "column 4: no field name stands before the colon"},
           {"t:", "column 2: nothing follows the colon"},
           {"(t:)", "column 3: nothing follows the colon"},
           {"t:+a", "column 3: a word, a phrase or a parenthesis must follow the colon"},
           {"t*:a", "column 1: a field name has no wildcards"},
           {"x *:a", "column 3: the only query over every field by name is *:*"},
           {"a^", "column 2: a positive number must follow ^"},
           {"a^x", "column 2: a positive number must follow ^"},
           {"a^-1", "column 2: a positive number must follow ^"},
           {"a^2x", "column 2: a positive number must follow ^"},
           {"a^1.2.3", "column 2: a positive number must follow ^"},
           {"a^99999999999999999999999999999999999999999",
            "column 2: a positive number must follow ^"},
           {"^2", "column 1: nothing stands before '^2'"},
           {"~2", "column 1: nothing stands before '~2'"},
           {"a^2^3", "column 4: '^3' cannot stand here"},
           {"a~1~1", "column 4: '~1' cannot stand here"},
           {"(a)~1", "column 4: '~1' cannot stand here"},
           {"*:*~1", "column 4: '~1' cannot stand here"},
           {"wor~3", "column 4: the edit distance must be 0, 1 or 2"},
           {"wor~0.8", "column 4: the edit distance must be 0, 1 or 2"},
           {"wor~x", "column 4: the edit distance must be 0, 1 or 2"},
           {"\"a b\"~x", "column 6: what follows ~ after a phrase must be a positive number"},
           {"\"a b\"~-1", "column 6: what follows ~ after a phrase must be a positive number"},
           {"\"a b\"~1.5x", "column 6: what follows ~ after a phrase must be a positive number"},
           {"a\\", "column 2: nothing follows the backslash"},
           {"a \\u12",
            "column 3: four hexadecimal digits must follow \\u, the number of a character (of a "
            "pair of them beyond \\uFFFF)"},
           {"/usr/share/doc",
            "column 11: the regular expression is never closed (escape a slash that belongs to a "
            "word with a backslash, or quote the word)"},
           {"\u00e9 t:/a(b/", "column 7: the parenthesis is never closed"},
           {"a /[b-a]/", "column 5: the range ends before it begins"},
           {"/a/:b", "column 4: no field name stands before the colon"},
           {"b /(x|y)*x(x|y){30}/",
            "column 4: the regular expressions of the query need too many states"},
           {"a ]", "column 3: a closing bracket without an opening one"},
           {"\u00e9\u00e8\u4e2d )", "column 5: a closing parenthesis without an opening one"},
       }) {
    EXPECT_EQ(parsing.Error(c.text), c.expected) << c.text;
  }
  EXPECT_EQ(parsing.Error("t:[a b]").find("column 6: a range is written [a TO b]"), 0u);
  EXPECT_EQ(parsing.Error("x {a TO b}").find("column 3: a range needs a field name"), 0u);
}

TEST(QueryErrors, ShowsTheQueryWithACaretUnderThePlace) {
  Parsing parsing;
  EXPECT_EQ(parsing.Tree("\u00e9\t(b"),
            "column 3: the parenthesis is never closed\n\u00e9 (b\n  ^");
}

TEST(QueryErrors, CutsALongQueryAroundThePlace) {
  Parsing parsing;
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "word ";
  text += ")";
  const std::string message = parsing.Tree(text);
  EXPECT_EQ(message.find("column 5001: "), 0u);
  EXPECT_LT(message.size(), 400u);
  EXPECT_EQ(message.substr(message.size() - 2), " ^");
}

TEST(QueryErrors, LimitsTheDepthOfParentheses) {
  Parsing parsing;
  EXPECT_EQ(parsing.Tree(std::string(64, '(') + "a" + std::string(64, ')')), "b:a");
  EXPECT_EQ(parsing.Error(std::string(65, '(') + "a" + std::string(65, ')')),
            "column 65: more than 64 nested parentheses");
  EXPECT_EQ(parsing.Error(std::string(60000, '(')), "column 65: more than 64 nested parentheses");
}

TEST(QueryErrors, LimitsTheNumberOfWordsAsWrittenHoweverManyFieldsTheySearch) {
  QueryParserLimits limits;
  limits.max_clauses = 4;
  Parsing parsing(AnalyzerKind::kStandard, {"b", "t"}, limits);
  EXPECT_TRUE(parsing.Parse("a c \"d e\" f").ok());
  EXPECT_EQ(parsing.Error("a (c d) \"e f\" g"), "column 15: more than 4 words");
  EXPECT_EQ(parsing.Error("a b-c d-e"), "column 7: more than 4 words");
}

TEST(QueryErrors, LimitsTheLengthOfTheText) {
  QueryParserLimits limits;
  limits.max_query_bytes = 10;
  Parsing parsing(AnalyzerKind::kStandard, {"b"}, limits);
  EXPECT_TRUE(parsing.Parse("0123456789").ok());
  EXPECT_EQ(parsing.Error("01234567890"), "column 1: the query has 11 bytes, more than 10");
}

TEST(QueryErrors, SurvivesArbitraryBytes) {
  Parsing parsing;
  uint64_t state = 42;
  const std::string_view alphabet = "ab \"()+-!&|~*?:^\\/[]{}2.ANDORT\xc3\xa9\xff";
  int parsed = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (int n = 0; n < 12; ++n) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      text += alphabet[(state >> 33) % alphabet.size()];
    }
    const auto query = parsing.Parse(text);
    if (query.ok()) {
      ++parsed;
    } else {
      EXPECT_EQ(Message(query.status()).substr(0, 7), "column ") << text;
    }
  }
  EXPECT_GT(parsed, 100);
}

}  // namespace query_errors_test
}  // namespace pmdex
