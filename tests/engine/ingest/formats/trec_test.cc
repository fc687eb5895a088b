#include "engine/ingest/formats/trec.h"

#include "gtest/gtest.h"

#include "engine/ingest/problem_kind.h"
#include "tests/engine/ingest/parser_fixture.h"

namespace pmdex {
namespace trec_test {

class TrecTest : public testing::Test {
 protected:
  std::vector<ParsedDocument> Parse(std::string_view text) {
    return ParseText(*NewTrecParser(problems_), text);
  }
  ProblemLog problems_;
};

TEST_F(TrecTest, TakesTextOutsideOfTagsAndDecodesEntities) {
  const auto documents = Parse(
      "<DOC>\n<DOCNO> X </DOCNO><HEAD a=\"b\">a&lt;b</HEAD>1 < 2 &amp;amp; &quot;q&quot; "
      "&x;</DOC>");
  ASSERT_EQ(documents.size(), 1u);
  EXPECT_EQ(documents[0].id, "X");
  EXPECT_EQ(documents[0].fields[0].first, "body");
  EXPECT_EQ(documents[0].fields[0].second, "\n a<b 1 < 2 &amp; \"q\" &x;");
  EXPECT_TRUE(problems_.problems().empty());
}

TEST_F(TrecTest, TellsDocFromDocno) {
  const auto documents = Parse("<doc><docno>1</docno>x</doc><DOC ><DOCNO>2</DOCNO>y</DOC>\n");
  ASSERT_EQ(documents.size(), 2u);
  EXPECT_EQ(documents[1].id, "2");
}

TEST_F(TrecTest, ReportsThePlaceOfEachMalformedPart) {
  const auto documents = Parse(
      "stray\n<DOC><DOCNO>1</DOCNO>\n<DOC>\n<DOCNO>2</DOCNO></DOC>\n<DOC>none</DOC>\n<DOC>"
      "<DOCNO></DOCNO></DOC>\n<DOC><DOCNO>3</DOCNO>open");
  ASSERT_EQ(documents.size(), 1u);
  EXPECT_EQ(documents[0].id, "2");
  EXPECT_EQ(documents[0].place, "in:3");
  const ProblemSummary problems = problems_.problems().at(ProblemKind::kMalformedTrec);
  EXPECT_EQ(problems.count, 5u);
  EXPECT_EQ(problems.first_places,
            (std::vector<std::string>{"in:1: text outside of <DOC>", "in:2: <DOC> without </DOC>",
                                      "in:5: no DOCNO"}));
}

// What is a tag must not depend on where the text was cut.
TEST_F(TrecTest, TakesNoTagWithAnotherInIt) {
  EXPECT_EQ(LastTrecBorder("<doc </doc> <DOCNO>1</DOCNO>"), 11u);
  EXPECT_TRUE(Parse("<doc </doc> <DOCNO>1</DOCNO>x</DOC>").empty());
}

// Each of these took time that grew with the square of the size.
TEST_F(TrecTest, TakesTimeThatGrowsWithTheTextOnly) {
  const auto repeat = [](std::string_view part, size_t times) {
    std::string text;
    for (size_t i = 0; i < times; ++i) text += part;
    return text;
  };
  constexpr size_t kTimes = 400'000;
  EXPECT_TRUE(Parse(repeat("<doc>", kTimes)).empty());
  EXPECT_TRUE(Parse(repeat("<doc ", kTimes)).empty());
  EXPECT_EQ(LastTrecBorder(repeat("<doc ", kTimes)), 0u);
  const std::string open_tags = "<doc><docno>1</docno>" + repeat("<a", kTimes);
  EXPECT_EQ(Parse(open_tags + "</doc>").size(), 1u);
}

TEST(TrecBorders, LieBehindAnEndAndBeforeABeginning) {
  EXPECT_EQ(LastTrecBorder("<DOC>a</DOC>"), 12u);
  EXPECT_EQ(LastTrecBorder("<DOC>a</DOC> <doc>b"), 13u);
  EXPECT_EQ(LastTrecBorder("<DOC>a"), 0u);
  EXPECT_EQ(LastTrecBorder(""), 0u);
  EXPECT_EQ(FirstTrecBorder("<DOC>a</DOC><DOC>", 0), 12u);
  EXPECT_EQ(FirstTrecBorder("<DOC>a</DOC><DOC>", 11), 12u) << "the tag began before";
  EXPECT_EQ(FirstTrecBorder("<DOC>a</DO", 5), 0u);
  const std::string_view with_attribute = "<DOC>a<DOC id=\"a-long-one\">";
  for (size_t from = 0; from < with_attribute.size(); ++from) {
    EXPECT_EQ(FirstTrecBorder(with_attribute, from), 6u) << from;
  }
}

}  // namespace trec_test
}  // namespace pmdex
