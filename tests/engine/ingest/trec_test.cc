#include "engine/ingest/trec.h"

#include "gtest/gtest.h"

#include "tests/engine/ingest/parser_fixture.h"

namespace pmdex {
namespace {

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

TEST(TrecBorders, LieBehindAnEndAndBeforeABeginning) {
  EXPECT_EQ(LastTrecBorder("<DOC>a</DOC>"), 12u);
  EXPECT_EQ(LastTrecBorder("<DOC>a</DOC> <doc>b"), 13u);
  EXPECT_EQ(LastTrecBorder("<DOC>a"), 0u);
  EXPECT_EQ(LastTrecBorder(""), 0u);
  EXPECT_EQ(FirstTrecBorder("<DOC>a</DOC><DOC>", 0), 12u);
  EXPECT_EQ(FirstTrecBorder("<DOC>a</DOC><DOC>", 11), 12u) << "the tag began before";
  EXPECT_EQ(FirstTrecBorder("<DOC>a</DO", 5), 0u);
}

}  // namespace
}  // namespace pmdex
