#include "query/language/query_parser.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "tests/query/query_parsing.h"

namespace pmdex {
namespace query_parser_test {

TEST(QueryParser, BuildsEveryConstruct) {
  Parsing parsing;
  for (const ParsingCase& c : std::vector<ParsingCase>{
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
    EXPECT_EQ(parsing.Tree(c.text), c.expected) << c.text;
  }
}

// The expected trees are those of Lucene's classic QueryParser with OR as the default operator.
TEST(QueryParser, CombinesClausesAsTheClassicParserDoes) {
  Parsing parsing;
  for (const ParsingCase& c : std::vector<ParsingCase>{
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
    EXPECT_EQ(parsing.Tree(c.text), c.expected) << c.text;
  }
}

// The expected trees are those of Lucene's classic parser with AND as its default operator.
TEST(QueryParser, RequiresAllWordsByDefaultWhenItIsToldSo) {
  struct Case {
    const char* text;
    const char* tree;
  };
  for (const Case& c : {Case{"a b", "(+f:a +f:b)"}, Case{"a OR b", "(f:a f:b)"},
                        Case{"a b OR c", "(+f:a f:b f:c)"}, Case{"a -b", "(+f:a -f:b)"},
                        Case{"a AND b OR c d", "(+f:a f:b f:c +f:d)"}, Case{"a", "f:a"}}) {
    const auto analyzer = NewAnalyzer(AnalyzerKind::kStandard);
    const std::vector<std::string> fields = {"f"};
    QueryParser parser(*analyzer, fields);
    parser.RequireAllByDefault();
    const auto query = parser.Parse(c.text);
    ASSERT_TRUE(query.ok()) << query.status();
    EXPECT_EQ(ToString(**query), c.tree) << c.text;
  }
}

// Reads texts in every field but "f" as one term of the field x, y or z. The pattern "p*" stands
// for two fields of text and two that are not.
class TestFields final : public QueryFieldReader {
 public:
  explicit TestFields(bool lenient) : lenient_(lenient) {}
  bool Reads(std::string_view name, TextKind) override { return name != "f"; }
  absl::StatusOr<std::unique_ptr<Query>> Read(std::string_view name, const Text& text) override {
    auto query = std::make_unique<Query>();
    query->kind = QueryKind::kTerm;
    query->field = name.empty() ? "x" : text.kind == TextKind::kStar ? "y" : "z";
    query->text = text.text + (text.kind == TextKind::kPhrase ? std::to_string(text.slop) : "");
    return query;
  }
  const std::vector<WeightedField>& FieldsOf(std::string_view name) override {
    if (name == "p*") return pattern_;
    if (!name.empty()) one_[0].name = name;
    return name.empty() ? by_default_ : one_;
  }
  bool IsLenient() const override { return lenient_; }

 private:
  const bool lenient_;
  const std::vector<WeightedField> by_default_ = {{"f", 2}, {"g"}};
  const std::vector<WeightedField> pattern_ = {{"pa", 3}, {"pb", 1}, {"pk", 1}, {"pn", 1}};
  std::vector<WeightedField> one_{1};
};

std::string TreeInFields(const char* text, bool lenient) {
  const auto analyzer = NewAnalyzer(AnalyzerKind::kStandard);
  QueryParser parser(*analyzer);
  ColumnKnowledge columns;
  columns.type_of = [](std::string_view field) -> std::optional<FieldType> {
    if (field == "pk") return FieldType::kKeyword;
    if (field == "pn") return FieldType::kI64;
    if (field == "missing") return std::nullopt;
    return FieldType::kText;
  };
  parser.SetColumns(columns);
  TestFields fields(lenient);
  parser.SetFieldReader(fields);
  const auto query = parser.Parse(text);
  return query.ok() ? ToString(**query) : std::string(Message(query.status())).substr(0, 9);
}

TEST(QueryParser, HandsTextsToTheReaderOfFields) {
  const auto expect = [](const char* text, const char* tree) {
    EXPECT_EQ(TreeInFields(text, false), tree) << text;
  };
  expect("a b", "x:a\\ b");
  expect("a b AND c", "(+x:a\\ b +x:c)");
  expect("a OR b c", "(x:a x:b x:c)");
  expect("a b^2 c", "(x:a x:b^2 x:c)");
  expect("(a b)^2 -c", "(x:a\\ b^2 -x:c)");
  expect("a \\b \"c d\"~3", "(x:a\\ b x:c\\ d3)");
  expect("f:a b c", "(f:a x:b\\ c)");
  expect("z:a b", "(z:a x:b)");
  expect("z:(a b) f:(a b)", "(z:a\\ b (f:a f:b))");
  expect("* n:* f:*", "(x:\\* y:\\* f:*)");
  expect("*~ n:*~1", "(x:\\* y:\\*)");
  expect("*:a *:*", "(z:a *:*)");
}

TEST(QueryParser, BuildsWhatIsNoTextInEachFieldOfTheReader) {
  const auto expect = [](const char* text, const char* tree, bool lenient = true) {
    EXPECT_EQ(TreeInFields(text, lenient), tree) << text;
  };
  expect("a b~1 c d", "(x:a (f:b~1^2 | g:b~1) x:c\\ d)");
  expect("b*", "(f:b*^2 | g:b*)");
  expect("/b./^2", "(f:/b./^2 | g:/b./)^2");
  expect("p\\*:b*", "(pa:b*^3 | pb:b* | pk:b*)");
  expect("p\\*:/b./", "(pa:/b./^3 | pb:/b./ | pk:/b./)");
  expect("p\\*:B~1", "(pa:b~1^3 | pb:b~1 | pk:B~1)");
  expect("pk:/b./ pk:B~1", "(pk:/b./ pk:B~1)");
  // A number has no prefixes and no expressions, and text has no ranges.
  expect("p\\*:b*", "column 5:", false);
  expect("pn:b*", "<nothing>");
  expect("pn:b*", "column 4:", false);
  expect("pn:/1./", "column 4:", false);
  expect("pn:1~1", "column 5:", false);
  expect("p\\*:[1 TO 2]", "column 5:");
  expect("[1 TO 2]", "column 1:");
  expect("missing:[1 TO 2]", "missing:[1 TO 2]");
}

TEST(QueryParser, AsksForTheEditsOfATilde) {
  const auto analyzer = NewAnalyzer(AnalyzerKind::kStandard);
  const std::vector<std::string> fields = {"f"};
  QueryParser parser(*analyzer, fields);
  parser.SetEditsOfTilde([](std::string_view word, std::string_view tilde) {
    const auto edits = std::optional<uint32_t>(word == "ab" ? 0 : 1);
    return tilde.empty() || tilde == "AUTO" ? edits : std::nullopt;
  });
  EXPECT_EQ((*parser.Parse("ab~"))->edits, 0u);
  EXPECT_EQ((*parser.Parse("ab~AUTO"))->edits, 0u);
  EXPECT_EQ((*parser.Parse("abc~AUTO^2"))->edits, 1u);
  EXPECT_EQ((*parser.Parse("abc~"))->edits, 1u);
  EXPECT_EQ((*parser.Parse("abc~2"))->edits, 2u);
  // As in Elasticsearch, the whole part of a number counts.
  EXPECT_EQ((*parser.Parse("abc~0.9"))->edits, 0u);
  EXPECT_EQ((*parser.Parse("abc~1.5"))->edits, 1u);
  EXPECT_EQ((*parser.Parse("abc~99999999999"))->edits, 2u);
  for (const char* text : {"abc~x", "abc~-1", "abc~1x", "abc~nan", "abc~inf"}) {
    EXPECT_FALSE(parser.Parse(text).ok()) << text;
  }
}

TEST(QueryParser, TakesEscapedCharactersAsLetters) {
  Parsing parsing(AnalyzerKind::kWhitespace);
  for (const ParsingCase& c : std::vector<ParsingCase>{
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
           {"\\/x\\/", "b:\\/x\\/"},
           {"a-b a+b", "(b:a\\-b b:a\\+b)"},
           {"title\\:a", "b:title\\:a"},
           {"\\u0041b \"\\u00e9 c\" \\u0041*", "(b:Ab b:\"\u00e9 c\" b:A*)"},
           {"\\u0041?\\u002a", "b:A?\\*"},
           {"\\u0041~1 \\u0066:x", "(b:A~1 f:x)"},
           {"x - y", "(b:x b:\\- b:y)"},
           {"\\\u00e9t\u00e9", "b:\u00e9t\u00e9"},
       }) {
    EXPECT_EQ(parsing.Tree(c.text), c.expected) << c.text;
  }
}

TEST(QueryParser, TakesRegularExpressionsAsTheyAre) {
  Parsing parsing(AnalyzerKind::kEnglish, {"b", "t"});
  for (const ParsingCase& c : std::vector<ParsingCase>{
           {"f:/Te.t[s]/", "f:/Te.t[s]/"},
           {"/a b/", "(b:/a b/ t:/a b/)"},
           {"f:/a\\/b/^2.5", "f:/a\\/b/^2.5"},
           {"+f:/a/ -f:(/b/ c)^2", "(+f:/a/ -(f:/b/ f:c)^2)"},
           {"f:c/d/e", "(f:c (b:/d/ t:/d/) (b:e t:e))"},
       }) {
    EXPECT_EQ(parsing.Tree(c.text), c.expected) << c.text;
  }
}

TEST(QueryParser, SearchesEveryDefaultFieldAndAddsThem) {
  Parsing parsing(AnalyzerKind::kStandard, {"b", "t"});
  for (const ParsingCase& c : std::vector<ParsingCase>{
           {"a", "(b:a t:a)"},
           {"+a", "(b:a t:a)"},
           {"a AND c", "(+(b:a t:a) +(b:c t:c))"},
           {"a^2", "(b:a t:a)^2"},
           {"\"a c\"~1", "(b:\"a c\"~1 t:\"a c\"~1)"},
           {"pre*", "(b:pre* t:pre*)"},
           {"te?t", "(b:te?t t:te?t)"},
           {"wor~1", "(b:wor~1 t:wor~1)"},
           {"wi-fi", "((b:wi t:wi) (b:fi t:fi))"},
           {"+wi-fi", "((b:wi t:wi) (b:fi t:fi))"},
           {"x +wi-fi", "((b:x t:x) +((b:wi t:wi) (b:fi t:fi)))"},
           {"u:a", "u:a"},
           {"*", "*:*"},
       }) {
    EXPECT_EQ(parsing.Tree(c.text), c.expected) << c.text;
  }
}

TEST(QueryParser, MakesOneClauseOfAWordInEveryField) {
  const auto analyzer = NewAnalyzer(AnalyzerKind::kStandard);
  QueryParser parser(*analyzer);
  for (const ParsingCase& c : std::vector<ParsingCase>{
           {"a", "a"},
           {"a AND (c^2 -\"d e\"~1)", "(+a +(c^2 -\"d e\"~1))"},
           {"pre* te?t wor~1 t:a", "(pre* te?t wor~1 t:a)"},
           {"wi-fi t:(a c)", "((wi fi) (t:a t:c))"},
       }) {
    const auto query = parser.Parse(c.text);
    ASSERT_TRUE(query.ok()) << query.status();
    EXPECT_EQ(ToString(**query), c.expected) << c.text;
  }
  EXPECT_TRUE((*parser.Parse("a"))->every_field);
  EXPECT_FALSE((*parser.Parse("t:a"))->every_field);
}

TEST(QueryParser, SplitsAWordIntoAnyOfItsTokens) {
  Parsing parsing;
  EXPECT_EQ(parsing.Tree("+wi-fi -lan"), "(+(b:wi b:fi) -b:lan)");
  EXPECT_EQ(parsing.Tree("t:wi-fi^2"), "(t:wi t:fi)^2");
  EXPECT_EQ(Parsing(AnalyzerKind::kLog).Tree("app-1.2"), "(b:app b:1 b:2)");
}

TEST(QueryParser, LetsRemovedWordsDisappear) {
  Parsing parsing(AnalyzerKind::kEnglish);
  for (const ParsingCase& c : std::vector<ParsingCase>{
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
    EXPECT_EQ(parsing.Tree(c.text), c.expected) << c.text;
  }
}

TEST(QueryParser, KeepsTheOffsetsOfAPhrase) {
  const auto query = Parsing(AnalyzerKind::kEnglish).Parse("\"the cat of house\"~3");
  ASSERT_TRUE(query.ok());
  EXPECT_EQ((*query)->terms, (std::vector<std::string>{"cat", "hous"}));
  EXPECT_EQ((*query)->offsets, (std::vector<uint32_t>{0, 2}));
  EXPECT_EQ((*query)->slop, 3u);
}

TEST(QueryParser, MatchesNothingWithoutFields) {
  Parsing parsing(AnalyzerKind::kStandard, {});
  EXPECT_EQ(parsing.Tree("a"), "<nothing>");
  EXPECT_EQ(parsing.Tree("t:a *"), "(t:a *:*)");
}

}  // namespace query_parser_test
}  // namespace pmdex
