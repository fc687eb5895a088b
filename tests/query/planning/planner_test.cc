#include "query/planning/planner.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "tests/support/windowed_index.h"

namespace pmdex {
namespace planner_test {

class PlannerTest : public WindowedIndexTest<testing::Test, 9000, 5000> {
 protected:
  static SearchPlan PlanOf(const std::string& text, const PlanOptions& options = {}) {
    return PlanSearch(Bind(text), options);
  }
  static PlanOptions Counting(size_t k = 10) {
    PlanOptions options;
    options.k = k;
    options.count = true;
    return options;
  }
};

TEST_F(PlannerTest, ChoosesTheAlgorithmByTheShapeOfTheQuery) {
  EXPECT_EQ(PlanOf("body:t0").algorithm, Algorithm::kSingleTerm);
  for (const char* text : {"*:*", "body:t1*", "body:t?", "title:*", "body:/t[12]/"}) {
    EXPECT_EQ(PlanOf(text).algorithm, Algorithm::kConstantScore) << text;
  }
  for (const char* text : {"body:t0 body:t1", "+body:t0 -body:t1", "body:\"t0 t1\"", "t0"}) {
    EXPECT_EQ(PlanOf(text).algorithm, Algorithm::kMaxScoreWindows) << text;
  }
  EXPECT_EQ(PlanOf("body:nowhere").algorithm, Algorithm::kNone);
}

TEST_F(PlannerTest, RanksNothingForACountAlone) {
  PlanOptions options;
  options.k = 0;
  for (const char* text : {"body:t0", "body:t0 body:t1", "*:*", "body:\"t0 t1\""}) {
    EXPECT_EQ(PlanOf(text, options).algorithm, Algorithm::kNone) << text;
  }
}

TEST_F(PlannerTest, ScoresEveryMatchWhenAskedToOrWhereAWeightIsNegative) {
  PlanOptions options;
  options.exhaustive = true;
  for (const char* text : {"body:t0", "body:t0 body:t1", "*:*"}) {
    const SearchPlan plan = PlanOf(text, options);
    EXPECT_EQ(plan.algorithm, Algorithm::kExhaustive) << text;
    EXPECT_EQ(plan.count, CountMethod::kByScoring) << text;
  }
  const QueryBinding binding = Bind("body:t0 -body:t1");
  binding.root->clauses[1].query->scorer.weight = -1;
  EXPECT_EQ(PlanSearch(binding, {}).algorithm, Algorithm::kMaxScoreWindows) << "prohibited";
  binding.root->clauses[0].query->scorer.weight = -1;
  EXPECT_EQ(PlanSearch(binding, {}).algorithm, Algorithm::kExhaustive);
}

TEST_F(PlannerTest, CountsInTheCheapestWay) {
  for (const char* text : {"body:t0", "*:*", "body:nowhere"}) {
    EXPECT_EQ(PlanOf(text).count, CountMethod::kFromStatistics) << text;
    EXPECT_EQ(PlanOf(text, Counting(0)).count, CountMethod::kFromStatistics) << text;
  }
  EXPECT_EQ(PlanOf("body:t0 body:t1").count, CountMethod::kNone);
  EXPECT_EQ(PlanOf("body:t0 body:t1", Counting()).count, CountMethod::kWithRanking);
  EXPECT_EQ(PlanOf("body:t0 body:t1", Counting(0)).count, CountMethod::kSeparately);
  EXPECT_EQ(PlanOf("body:t1*", Counting()).count, CountMethod::kSeparately);
  EXPECT_EQ(PlanOf("body:\"t0 t1\"", Counting()).count, CountMethod::kByScoring);
  EXPECT_EQ(PlanOf("body:\"t0 t1\"").count, CountMethod::kNone);
}

TEST_F(PlannerTest, ReadsNoListsWhereStatisticsAnswer) {
  EXPECT_TRUE(PlanOf("body:t0").reads_lists);
  EXPECT_TRUE(PlanOf("body:t0 body:t1", Counting(0)).reads_lists);
  EXPECT_FALSE(PlanOf("body:t0", Counting(0)).reads_lists);
  EXPECT_FALSE(PlanOf("*:*", Counting(0)).reads_lists);
  EXPECT_FALSE(PlanOf("body:nowhere").reads_lists);
}

TEST_F(PlannerTest, SharesTheWorkOfLongQueriesOnly) {
  PlanOptions options = Counting();
  options.threads = 3;
  EXPECT_EQ(PlanOf("body:t0 body:t1", options).threads, 1u) << "few postings";
  const std::vector<uint64_t> postings = PlanOf("body:t0 body:t1").estimates;
  options.least_parallel_postings = postings[0] + postings[1];
  options.windows_per_range = 1;
  EXPECT_EQ(PlanOf("body:t0 body:t1", options).threads, 3u);
  EXPECT_EQ(PlanOf("body:t0 body:t1", options).count, CountMethod::kSeparately);
  EXPECT_EQ(PlanOf("body:t0 body:t2", options).threads, 1u) << "fewer postings";
  EXPECT_EQ(PlanOf("body:t0", options).threads, 1u) << "one term";
  options.windows_per_range = 3;
  EXPECT_EQ(PlanOf("body:t0 body:t1", options).threads, 2u) << "two ranges";
}

TEST_F(PlannerTest, KeepsTheOrderOfTheClausesAndEstimatesTheirDocuments) {
  const QueryBinding binding = Bind("body:t0 +body:t9 -title:t1 body:\"t0 t8\"");
  const SearchPlan plan = PlanSearch(binding, {});
  ASSERT_EQ(plan.clauses.size(), 4u);
  ASSERT_EQ(plan.estimates.size(), 4u);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(plan.clauses[i].occur, binding.root->clauses[i].occur);
  }
  EXPECT_EQ(plan.estimates[0], binding.root->clauses[0].query->terms[0].df);
  EXPECT_EQ(plan.estimates[1], binding.root->clauses[1].query->terms[0].df);
  EXPECT_EQ(plan.estimates[3], binding.root->clauses[3].query->terms[1].df) << "the rarest word";
  EXPECT_EQ(PlanOf("body:t1* body:t0").estimates[0], 14000u);
}

TEST_F(PlannerTest, LetsTheRarestRequiredListOfDocidsLead) {
  SearchPlan plan;
  plan.algorithm = Algorithm::kMaxScoreWindows;
  const std::vector<SegmentClause> clauses = {{Occur::kShould, 1, false},
                                              {Occur::kMust, 50, true},
                                              {Occur::kMust, 20, false},
                                              {Occur::kMust, 30, true},
                                              {Occur::kMust, 30, true}};
  const SegmentSearchPlan segment = PlanSegmentSearch(plan, clauses);
  EXPECT_EQ(segment.algorithm, Algorithm::kLeadList);
  EXPECT_EQ(segment.lead, 3u);
  EXPECT_THAT(segment.required, testing::ElementsAre(2, 3, 4, 1));
  plan.count = CountMethod::kByScoring;
  EXPECT_EQ(PlanSegmentSearch(plan, clauses).algorithm, Algorithm::kMaxScoreWindows);
}

TEST_F(PlannerTest, SearchesWindowsWhereNoListCanLead) {
  SearchPlan plan;
  plan.algorithm = Algorithm::kMaxScoreWindows;
  const std::vector<SegmentClause> clauses = {{Occur::kShould, 1, false}, {Occur::kMust, 5, false}};
  EXPECT_EQ(PlanSegmentSearch(plan, clauses).algorithm, Algorithm::kMaxScoreWindows);
  EXPECT_EQ(PlanSegmentSearch(plan, {}).algorithm, Algorithm::kNone);
}

TEST_F(PlannerTest, SearchesWholeListsWhereTheOtherClausesTogetherAddLess) {
  SearchPlan plan;
  plan.algorithm = Algorithm::kMaxScoreWindows;
  plan.k = 10;
  const auto algorithm_of = [&](const std::vector<SegmentClause>& clauses) {
    return PlanSegmentSearch(plan, clauses).algorithm;
  };
  const SegmentClause list = {Occur::kShould, 50, true, 5};
  const SegmentClause bits = {Occur::kShould, 90'000, false, 3};
  EXPECT_EQ(algorithm_of({list, list}), Algorithm::kWholeLists);
  EXPECT_EQ(algorithm_of({bits, list}), Algorithm::kWholeLists);
  EXPECT_EQ(algorithm_of({bits, list, bits}), Algorithm::kMaxScoreWindows);
  EXPECT_EQ(algorithm_of({bits, bits}), Algorithm::kMaxScoreWindows);
  EXPECT_EQ(algorithm_of({list, {Occur::kMustNot, 9, false, 0}}), Algorithm::kWholeLists);
  EXPECT_EQ(algorithm_of({list, {Occur::kMust, 900, false, 1}}), Algorithm::kMaxScoreWindows);
  EXPECT_EQ(algorithm_of(std::vector(8, list)), Algorithm::kWholeLists);
  EXPECT_EQ(algorithm_of(std::vector(9, list)), Algorithm::kMaxScoreWindows) << "many lists";
  plan.k = 100;
  EXPECT_EQ(algorithm_of({list}), Algorithm::kWholeLists);
  EXPECT_EQ(algorithm_of({bits, list}), Algorithm::kMaxScoreWindows) << "fewer than k documents";
}

TEST_F(PlannerTest, NamesAlgorithmsAndCountMethods) {
  EXPECT_EQ(ToString(Algorithm::kMaxScoreWindows), "max_score_windows");
  EXPECT_EQ(ToString(Algorithm::kNone), "none");
  EXPECT_EQ(ToString(CountMethod::kFromStatistics), "from_statistics");
}

}  // namespace planner_test
}  // namespace pmdex
