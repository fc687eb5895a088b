#include "query/planning/score_bound.h"

#include <cmath>
#include <limits>
#include <memory>
#include <string>

#include "gtest/gtest.h"

#include "query/algorithm/exhaustive.h"
#include "tests/query/query_parsing.h"
#include "tests/support/planned_search.h"
#include "tests/support/windowed_index.h"

namespace pmdex {
namespace score_bound_test {

std::string Power(int zeros) {
  return "1" + std::string(static_cast<size_t>(zeros), '0');
}

TEST(ScoreBound, RefusesBoostsWhoseProductsAreTooLarge) {
  Parsing parsing;
  const std::string problem =
      ": the boosts, multiplied and added up, make scores too large for a number";
  const struct {
    std::string text;
    std::string column;
  } cases[] = {
      {"a^" + Power(38), "2"},
      {"((a^" + Power(20) + ")^" + Power(21) + ")", "27"},
      {"((a^" + Power(30) + ")^" + Power(30) + ")^0.5", "4"},
      {"((a^" + Power(30) + ")^" + Power(30) + ")^0", "4"},
      {"b (c d^" + Power(15) + " x)^" + Power(18), "27"},
      {"\"a b\"^" + Power(38), "6"},
      {"a*^" + Power(38), "3"},
      {"*:*^" + Power(38), "4"},
      {"*:* -a^" + Power(38), "7"},
  };
  for (const auto& c : cases) EXPECT_EQ(parsing.Error(c.text), "column " + c.column + problem);
}

TEST(ScoreBound, RefusesTooMuchOfWhatIsNotTooLargeByItself) {
  Parsing parsing;
  const std::string word = "a^" + Power(31) + " ";
  std::string text;
  for (int i = 0; i < 4; ++i) text += word;
  EXPECT_TRUE(parsing.Parse(text).ok());
  for (int i = 0; i < 200; ++i) text += word;
  EXPECT_FALSE(parsing.Parse(text).ok());
}

TEST(ScoreBound, TakesBoostsOfZeroAndRefusesNegativeOnes) {
  Parsing parsing;
  EXPECT_EQ(parsing.Tree("a^0"), "b:a^0");
  EXPECT_EQ(parsing.Tree("(a^0 b)^0.0"), "(b:a^0 b:b)^0");
  EXPECT_EQ(parsing.Error("a^-1"), "column 2: a positive number must follow ^");
  EXPECT_EQ(parsing.Error("a^NaN"), "column 2: a positive number must follow ^");
  EXPECT_EQ(parsing.Error("a^inf"), "column 2: a positive number must follow ^");
}

TEST(ScoreBound, KnowsTreesThatNobodyParsed) {
  Query query;
  query.kind = QueryKind::kTerm;
  EXPECT_TRUE(HasFiniteScores(query));
  for (const float boost : {std::numeric_limits<float>::infinity(), NAN, 1e35f, -1e35f}) {
    query.boost = boost;
    EXPECT_FALSE(HasFiniteScores(query)) << boost;
  }
}

class ScoreBoundTest : public WindowedIndexTest<testing::Test, 9000> {};

TEST_F(ScoreBoundTest, LetsPassWhatScoresTheSamePrunedAndExhaustive) {
  const std::string large = Power(29);
  for (const std::string& text :
       {"body:t1^" + large, "body:t1^" + large + " body:t3", "body:t1^" + large + " t2^" + large,
        "+t1^" + large + " +(t3 t4)^" + large, "\"t1 t2\"^" + large, "t1*^" + large,
        std::string("body:t1^0.000000000000000000000000000001")}) {
    for (const auto similarity : {SimilarityKind::kBm25, SimilarityKind::kTfidf}) {
      const QueryBinding binding = Bind(text, similarity);
      PlanOptions options;
      options.k = 100;
      const auto expected = SearchExhaustively(binding, 100);
      const auto found = PlanAndSearch(binding, options);
      ASSERT_TRUE(expected.ok() && found.ok());
      ASSERT_FALSE(expected->docs.empty()) << text;
      ASSERT_EQ(found->docs.size(), expected->docs.size());
      for (size_t i = 0; i < found->docs.size(); ++i) {
        ASSERT_TRUE(std::isfinite(expected->docs[i].score)) << text;
        ASSERT_EQ(found->docs[i].doc, expected->docs[i].doc) << text;
        ASSERT_EQ(found->docs[i].score, expected->docs[i].score) << text;
      }
    }
  }
}

TEST_F(ScoreBoundTest, RefusesTreesThatNobodyParsedWhenTheyAreBound) {
  Query query;
  query.kind = QueryKind::kTerm;
  query.field = "body";
  query.text = "t1";
  query.boost = std::numeric_limits<float>::max();
  EXPECT_EQ(BindQuery(query, *snapshot_, SimilarityKind::kBm25).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace score_bound_test
}  // namespace pmdex
