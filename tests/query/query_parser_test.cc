#include "query/query_parser.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"

namespace pmdex {
namespace {

struct Case {
  std::string_view text;
  std::string_view tree;
};

class Parsing {
 public:
  explicit Parsing(AnalyzerKind kind = AnalyzerKind::kStandard,
                   std::vector<std::string> fields = {"b"}, const QueryParserLimits& limits = {})
      : analyzer_(NewAnalyzer(kind)), fields_(std::move(fields)), limits_(limits) {}

  absl::StatusOr<std::unique_ptr<Query>> Parse(std::string_view text) {
    return QueryParser(*analyzer_, fields_, limits_).Parse(text);
  }
  std::string Tree(std::string_view text) {
    const auto query = Parse(text);
    return query.ok() ? ToString(**query) : std::string(Message(query.status()));
  }
  // "column N: WHAT" of the error.
  std::string Error(std::string_view text) {
    const auto query = Parse(text);
    if (query.ok()) return "parsed as " + ToString(**query);
    EXPECT_EQ(query.status().code(), absl::StatusCode::kInvalidArgument);
    const std::string message(Message(query.status()));
    return message.substr(0, message.find('\n'));
  }

 private:
  std::unique_ptr<Analyzer> analyzer_;
  std::vector<std::string> fields_;
  QueryParserLimits limits_;
};

TEST(QueryParser, BuildsEveryConstruct) {
  Parsing parsing;
  for (const Case& c : std::vector<Case>{
           {"Word", "b:word"},
           {"a b", "(b:a b:b)"},
           {"t:a", "t:a"},
           {"t : a", "t:a"},
           {"t:(a +c)", "(t:a +t:c)"},
           {"t:(a u:c)", "(t:a u:c)"},
           {"\"a phrase\"", "b:\"a phrase\""},
           {"\"a phrase\"~2", "b:\"a phrase\"~2"},
           {"\"a phrase\"~2^3", "b:\"a phrase\"~2^3"},
           {"\"a phrase\"^3~2", "b:\"a phrase\"~2^3"},
           {"t:\"a phrase\"", "t:\"a phrase\""},
           {"\"single\"~4", "b:single"},
           {"PRE*", "b:pre*"},
           {"t:pre*^2", "t:pre*^2"},
           {"Te?t", "b:te?t"},
           {"w*ld", "b:w*ld"},
           {"*ld", "b:*ld"},
           {"a**b", "b:a*b"},
           {"te?t*", "b:te?t*"},
           {"Wor~", "b:wor~2"},
           {"wor~1", "b:wor~1"},
           {"wor~0", "b:wor~0"},
           {"wor~1^2", "b:wor~1^2"},
           {"wor^2~1", "b:wor~1^2"},
           {"a^2.5", "b:a^2.5"},
           {"a ^2", "b:a^2"},
           {"a^.5", "b:a^0.5"},
           {"a^0", "b:a^0"},
           {"(a c)^2.5", "(b:a b:c)^2.5"},
           {"((a^2))^3", "b:a^6"},
           {"*", "*:*"},
           {"*:*", "*:*"},
           {"*:*^2", "*:*^2"},
           {"t:*", "t:*"},
           {"t:(*)", "t:*"},
           {"t:**", "t:*"},
           {"**", "b:*"},
       }) {
    EXPECT_EQ(parsing.Tree(c.text), c.tree) << c.text;
  }
}

// The expectations are the classic QueryParser's with OR as the default operator.
TEST(QueryParser, CombinesClausesAsTheClassicParserDoes) {
  Parsing parsing;
  for (const Case& c : std::vector<Case>{
           {"a AND b", "(+b:a +b:b)"},
           {"a OR b", "(b:a b:b)"},
           {"a AND b OR c", "(+b:a +b:b b:c)"},
           {"a OR b AND c", "(b:a +b:b +b:c)"},
           {"a b AND c", "(b:a +b:b +b:c)"},
           {"a AND b AND c", "(+b:a +b:b +b:c)"},
           {"a && b", "(+b:a +b:b)"},
           {"a || b", "(b:a b:b)"},
           {"a AND NOT b", "(+b:a -b:b)"},
           {"a OR NOT b", "(b:a -b:b)"},
           {"NOT a AND b", "(-b:a +b:b)"},
           {"-a AND b", "(-b:a +b:b)"},
           {"a AND -b AND c", "(+b:a -b:b +b:c)"},
           {"+a -b", "(+b:a -b:b)"},
           {"a !b", "(b:a -b:b)"},
           {"a!b", "(b:a -b:b)"},
           {"+a", "b:a"},
           {"-a", "(-b:a)"},
           {"NOT a", "(-b:a)"},
           {"a (-b)", "(b:a (-b:b))"},
           {"(a AND b) OR c", "((+b:a +b:b) b:c)"},
           {"+(a b) -(c d)", "(+(b:a b:b) -(b:c b:d))"},
           {"a AND (b OR c)", "(+b:a +(b:b b:c))"},
           {"AND\\ b", "(b:and b:b)"},
           {"and or not", "(b:and b:or b:not)"},
           {"\\AND", "b:and"},
           {"ANDROID ORB", "(b:android b:orb)"},
       }) {
    EXPECT_EQ(parsing.Tree(c.text), c.tree) << c.text;
  }
}

TEST(QueryParser, TakesEscapedCharactersAsLetters) {
  Parsing parsing(AnalyzerKind::kWhitespace);
  for (const Case& c : std::vector<Case>{
           {"\\+a", "b:\\+a"},
           {"a\\*", "b:a\\*"},
           {"a\\:b", "b:a\\:b"},
           {"\\(a\\)", "b:\\(a\\)"},
           {"\\\\", "b:\\\\"},
           {"\\\"", "b:\\\""},
           {"\"a \\\" c\"", "b:\"a \\\" c\""},
           {"a\\*b*", "b:a\\*b*"},
           {"a\\?b?", "b:a\\?b?"},
           {"f\\ g:x", "f\\ g:x"},
           {"\\/x/", "b:\\/x\\/"},
           {"/var/log", "b:\\/var\\/log"},
           {"a-b a+b a/b", "(b:a\\-b b:a\\+b b:a\\/b)"},
           {"x - y", "(b:x b:\\- b:y)"},
           {"\\\u00e9t\u00e9", "b:\u00e9t\u00e9"},
       }) {
    EXPECT_EQ(parsing.Tree(c.text), c.tree) << c.text;
  }
}

TEST(QueryParser, SearchesEveryDefaultFieldAndAddsThem) {
  Parsing parsing(AnalyzerKind::kStandard, {"b", "t"});
  for (const Case& c : std::vector<Case>{
           {"a", "(b:a t:a)"},
           {"+a", "(b:a t:a)"},
           {"a AND c", "(+(b:a t:a) +(b:c t:c))"},
           {"a^2", "(b:a t:a)^2"},
           {"\"a c\"~1", "(b:\"a c\"~1 t:\"a c\"~1)"},
           {"pre*", "(b:pre* t:pre*)"},
           {"te?t", "(b:te?t t:te?t)"},
           {"wor~1", "(b:wor~1 t:wor~1)"},
           {"wi-fi", "(b:wi b:fi t:wi t:fi)"},
           {"+wi-fi", "(b:wi b:fi t:wi t:fi)"},
           {"x +wi-fi", "((b:x t:x) +(b:wi b:fi t:wi t:fi))"},
           {"u:a", "u:a"},
           {"*", "*:*"},
       }) {
    EXPECT_EQ(parsing.Tree(c.text), c.tree) << c.text;
  }
}

TEST(QueryParser, SplitsAWordIntoAnyOfItsTokens) {
  Parsing parsing;
  EXPECT_EQ(parsing.Tree("+wi-fi -lan"), "(+(b:wi b:fi) -b:lan)");
  EXPECT_EQ(parsing.Tree("t:wi-fi^2"), "(t:wi t:fi)^2");
  EXPECT_EQ(Parsing(AnalyzerKind::kLog).Tree("app-1.2"), "(b:app b:1 b:2)");
}

TEST(QueryParser, LetsRemovedWordsDisappear) {
  Parsing parsing(AnalyzerKind::kEnglish);
  for (const Case& c : std::vector<Case>{
           {"the", "<nothing>"},
           {"the AND of", "<nothing>"},
           {"-the", "<nothing>"},
           {"(the)", "<nothing>"},
           {"(the)^2", "<nothing>"},
           {"the cat", "b:cat"},
           {"cat AND the", "b:cat"},
           {"the AND cat", "b:cat"},
           {"cat -the", "b:cat"},
           {"the -cat", "(-b:cat)"},
           {"cat AND (the) dog", "(+b:cat b:dog)"},
           {"\"the\"", "<nothing>"},
           {"\"\"", "<nothing>"},
           {"\"cat of the house\"", "b:\"cat ? ? hous\""},
           {"\"the cat house\"", "b:\"cat hous\""},
           {"running*", "b:running*"},
           {"running", "b:run"},
       }) {
    EXPECT_EQ(parsing.Tree(c.text), c.tree) << c.text;
  }
}

TEST(QueryParser, KeepsTheOffsetsOfAPhrase) {
  const auto query = Parsing(AnalyzerKind::kEnglish).Parse("\"the cat of house\"~3");
  ASSERT_TRUE(query.ok());
  EXPECT_EQ((*query)->terms, (std::vector<std::string>{"cat", "hous"}));
  EXPECT_EQ((*query)->offsets, (std::vector<uint32_t>{0, 2}));
  EXPECT_EQ((*query)->slop, 3u);
}

TEST(QueryParser, PointsAtTheColumnOfEveryError) {
  Parsing parsing;
  for (const Case& c : std::vector<Case>{
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
           {"wo*~1", "column 4: a word with wildcards cannot have an edit distance"},
           {"\"a b\"~", "column 6: a whole number must follow ~ after a phrase"},
           {"\"a b\"~1.5", "column 6: a whole number must follow ~ after a phrase"},
           {"\"a b\"~99999999999", "column 6: a whole number must follow ~ after a phrase"},
           {"a\\", "column 2: nothing follows the backslash"},
           {"a ]", "column 3: a closing bracket without an opening one"},
           {"\u00e9\u00e8\u4e2d )", "column 5: a closing parenthesis without an opening one"},
       }) {
    EXPECT_EQ(parsing.Error(c.text), c.tree) << c.text;
  }
  EXPECT_EQ(parsing.Error("t:[a TO b]").find("column 3: range queries are not"), 0u);
  EXPECT_EQ(parsing.Error("x {a TO b}").find("column 3: range queries are not"), 0u);
}

TEST(QueryParser, ShowsTheQueryWithACaretUnderThePlace) {
  Parsing parsing;
  EXPECT_EQ(parsing.Tree("\u00e9\t(b"),
            "column 3: the parenthesis is never closed\n\u00e9 (b\n  ^");
}

TEST(QueryParser, CutsALongQueryAroundThePlace) {
  Parsing parsing;
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "word ";
  text += ")";
  const std::string message = parsing.Tree(text);
  EXPECT_EQ(message.find("column 5001: "), 0u);
  EXPECT_LT(message.size(), 400u);
  EXPECT_EQ(message.substr(message.size() - 2), " ^");
}

TEST(QueryParser, LimitsTheDepthOfParentheses) {
  Parsing parsing;
  EXPECT_EQ(parsing.Tree(std::string(64, '(') + "a" + std::string(64, ')')), "b:a");
  EXPECT_EQ(parsing.Error(std::string(65, '(') + "a" + std::string(65, ')')),
            "column 65: more than 64 nested parentheses");
  EXPECT_EQ(parsing.Error(std::string(60000, '(')), "column 65: more than 64 nested parentheses");
}

TEST(QueryParser, LimitsTheNumberOfWords) {
  QueryParserLimits limits;
  limits.max_clauses = 4;
  Parsing parsing(AnalyzerKind::kStandard, {"b", "t"}, limits);
  EXPECT_TRUE(parsing.Parse("a c").ok());
  EXPECT_EQ(parsing.Error("a (c d)"), "column 6: more than 4 words, each counted once a field");
}

TEST(QueryParser, LimitsTheLengthOfTheText) {
  QueryParserLimits limits;
  limits.max_query_bytes = 10;
  Parsing parsing(AnalyzerKind::kStandard, {"b"}, limits);
  EXPECT_TRUE(parsing.Parse("0123456789").ok());
  EXPECT_EQ(parsing.Error("01234567890"), "column 1: the query has 11 bytes, more than 10");
}

TEST(QueryParser, MatchesNothingWithoutFields) {
  Parsing parsing(AnalyzerKind::kStandard, {});
  EXPECT_EQ(parsing.Tree("a"), "<nothing>");
  EXPECT_EQ(parsing.Tree("t:a *"), "(t:a *:*)");
}

TEST(QueryParser, SurvivesArbitraryBytes) {
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

}  // namespace
}  // namespace pmdex
