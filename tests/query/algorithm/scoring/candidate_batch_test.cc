// Tests how candidate_batch scores and drops candidates, leaf by leaf, with leaves that return
// scores set by the test.
#include "query/algorithm/scoring/candidate_batch.h"

#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

#include "tests/support/random_corpus.h"

namespace pmdex {
namespace candidate_batch_test {

constexpr float kAnything = -std::numeric_limits<float>::infinity();

class ToldLeaf final : public Leaf {
 public:
  explicit ToldLeaf(std::map<DocId, float> scores) : scores_(std::move(scores)) {}

  uint64_t Estimate() const override { return scores_.size(); }
  uint32_t WindowEstimate(uint32_t) override { return 0; }
  uint32_t FirstWindowFrom(uint32_t window) override { return window; }
  void Fill(uint32_t, WindowBits&) override {}
  void PrepareBounds() override {}
  float Bound(uint32_t) const override { return 100; }
  float SegmentBound() const override { return 100; }
  void FillCompetitive(uint32_t, float, WindowBits&) override {}
  void ScoreDocs(std::span<const DocId> docs, const ScoreArray& min_scores,
                 ScoreArray& scores) override {
    scored_ = docs.size();
    for (size_t i = 0; i < docs.size(); ++i) {
      const auto found = scores_.find(docs[i]);
      scores[i] = found == scores_.end() ? kNoMatch : found->second;
      if (scores[i] >= 0 && scores[i] < min_scores[i]) scores[i] = kTooLow;
    }
  }

  size_t scored() const { return scored_; }

 private:
  std::map<DocId, float> scores_;
  size_t scored_ = 0;
};

// Leaves of one clause; those with the same number belong to one sum.
using Leaves = std::vector<std::pair<uint32_t, std::map<DocId, float>>>;

class CandidateBatchTest : public testing::Test {
 protected:
  void AddClause(Occur occur, const Leaves& leaves) {
    OpenClause clause{occur, {}, {}};
    for (const auto& [sum, scores] : leaves) {
      clause.leaves.push_back(std::make_unique<ToldLeaf>(scores));
      clause.sums.push_back(sum);
    }
    clauses_.push_back(std::move(clause));
  }

  // Of documents 0 to 9 those that are left, with their scores.
  std::vector<std::pair<DocId, float>> ScoreTen(float min_score, float bound_each) {
    if (!query_.has_value()) query_.emplace(std::move(clauses_));
    const OpenQuery& query = *query_;
    CandidateBatch batch(query);
    batch.Clear();
    for (DocId doc = 0; doc < 10; ++doc) batch.Add(doc);
    const auto leaves = static_cast<uint32_t>(query.scoring_leaves().size());
    scored_by_.clear();
    for (uint32_t leaf = 0; leaf < leaves; ++leaf) batch.SetBound(leaf, bound_each);
    for (uint32_t leaf = 0; leaf < leaves; ++leaf) {
      batch.ScoreLeaf(leaf, min_score);
      scored_by_.push_back(static_cast<ToldLeaf*>(query.scoring_leaves()[leaf].leaf)->scored());
    }
    batch.Finish(min_score);
    TopK top(10);
    batch.AddTo(top, 1000);
    std::vector<std::pair<DocId, float>> left;
    for (uint32_t i = 0; i < batch.size(); ++i) left.emplace_back(batch.docs()[i], batch.score(i));
    const std::vector<ScoredDoc> kept = top.Take();
    EXPECT_EQ(kept.size(), left.size());
    for (const ScoredDoc& doc : kept) EXPECT_GE(doc.doc, 1000u);
    return left;
  }

  std::vector<OpenClause> clauses_;
  std::optional<OpenQuery> query_;  // of clauses_, made by the first ScoreTen
  std::vector<size_t> scored_by_;   // documents that each scoring leaf was given
};

using Scored = std::vector<std::pair<DocId, float>>;

TEST_F(CandidateBatchTest, AddsUpWhatMatches) {
  AddClause(Occur::kShould, {{0, {{1, 2}, {3, 4}}}});
  AddClause(Occur::kShould, {{0, {{3, 8}, {7, 1}}}});
  EXPECT_EQ(ScoreTen(kAnything, 100), (Scored{{1, 2}, {3, 12}, {7, 1}}));
  EXPECT_EQ(ScoreTen(2, 100), (Scored{{1, 2}, {3, 12}}));
}

TEST_F(CandidateBatchTest, KeepsAMatchThatScoresNothing) {
  AddClause(Occur::kShould, {{0, {{4, 0}}}});
  AddClause(Occur::kShould, {{0, {{5, 0}}}});
  EXPECT_EQ(ScoreTen(kAnything, 100), (Scored{{4, 0}, {5, 0}}));
}

TEST_F(CandidateBatchTest, NeedsEveryRequiredClause) {
  AddClause(Occur::kMust, {{0, {{1, 2}, {3, 4}, {5, 1}}}});
  AddClause(Occur::kMust, {{0, {{3, 8}}}, {1, {{5, 2}, {6, 2}}}});
  AddClause(Occur::kShould, {{0, {{5, 16}, {6, 16}}}});
  EXPECT_EQ(ScoreTen(kAnything, 100), (Scored{{3, 12}, {5, 19}}));
}

TEST_F(CandidateBatchTest, LeavesOutWhatIsProhibited) {
  AddClause(Occur::kShould, {{0, {{1, 2}, {3, 4}, {5, 1}}}});
  AddClause(Occur::kMustNot, {{0, {{3, 0}}}, {0, {{5, 7}, {9, 7}}}});
  EXPECT_EQ(ScoreTen(kAnything, 100), (Scored{{1, 2}}));
}

TEST_F(CandidateBatchTest, AsksNobodyAboutDocumentsThatCannotMakeIt) {
  AddClause(Occur::kShould, {{0, {{1, 2}, {3, 4}, {5, 9}}}});
  AddClause(Occur::kShould, {{0, {{1, 3}, {3, 3}, {5, 3}}}});
  EXPECT_EQ(ScoreTen(6.5f, 3), (Scored{{3, 7}, {5, 12}}));
  EXPECT_EQ(scored_by_[1], 2u) << "document 1 has 2 and can get 3";
}

TEST_F(CandidateBatchTest, DropsNobodyWhoMakesItWithManyLeaves) {
  SeededRandom random(5);
  for (int round = 0; round < 200; ++round) {
    clauses_.clear();
    query_.reset();
    std::map<DocId, float> sums;
    for (size_t leaf = 0; leaf < 30; ++leaf) {
      std::map<DocId, float> scores;
      for (DocId doc = 0; doc < 10; ++doc) {
        if (random.Below(4) != 0) continue;
        scores[doc] = static_cast<float>(random.Below(7)) / 2;  // halves add up exactly
        sums[doc] += scores[doc];
      }
      AddClause(Occur::kShould, {{0, scores}});
    }
    const auto least = static_cast<float>(random.Below(30));
    Scored expected;
    for (const auto& [doc, sum] : sums) {
      if (sum >= least) expected.emplace_back(doc, sum);
    }
    ASSERT_EQ(ScoreTen(least, 3), expected) << round;
    ASSERT_LE(scored_by_.back(), 10u);
  }
}

// Floats that add up to something else in another order or without the rounding in between.
TEST_F(CandidateBatchTest, RoundsAsTheExhaustiveEvaluatorDoes) {
  const float a = 16777216.0f, b = 1.0f, c = 1.0f;  // a + b is a in float
  AddClause(Occur::kShould, {{0, {{1, a}}}, {0, {{1, b}}}, {0, {{1, c}}}});
  EXPECT_EQ(ScoreTen(kAnything, 1e9), (Scored{{1, 16777218.0f}})) << "one sum: in double";
  clauses_.clear();
  query_.reset();
  AddClause(Occur::kShould, {{0, {{1, a}}}, {0, {{1, b}}}, {1, {{1, c}}}});
  AddClause(Occur::kShould, {{0, {{1, b}}}});
  const float first_sum = static_cast<float>(double{a} + double{b});
  const float first_clause = static_cast<float>(double{first_sum} + double{c});
  const float expected = static_cast<float>(double{first_clause} + double{b});
  EXPECT_EQ(ScoreTen(kAnything, 1e9), (Scored{{1, expected}}));
}

TEST_F(CandidateBatchTest, TakesOneScoreForAllCandidates) {
  AddClause(Occur::kMust, {{0, {{1, 5}, {2, 5}, {3, 5}}}});
  AddClause(Occur::kMust, {{0, {{1, 2}, {3, 0}}}});
  const OpenQuery query(std::move(clauses_));
  CandidateBatch batch(query);
  batch.Clear();
  for (const DocId doc : {1, 2, 3}) batch.Add(doc);
  batch.SetBound(0, 5);
  batch.SetBound(1, 2);
  batch.TakeConstant(0, 5);
  EXPECT_EQ(batch.size(), 3u);
  batch.ScoreLeaf(1, 6);
  batch.Finish(6);
  ASSERT_EQ(batch.size(), 1u);
  EXPECT_EQ(batch.docs()[0], 1u);
  EXPECT_EQ(batch.score(0), 7.0f);
}

TEST_F(CandidateBatchTest, TakesScoresThatSomebodyElseFound) {
  AddClause(Occur::kMust, {{0, {}}});
  const OpenQuery query(std::move(clauses_));
  CandidateBatch batch(query);
  batch.Clear();
  for (DocId doc = 0; doc < CandidateBatch::kMost; ++doc) batch.Add(doc);
  EXPECT_TRUE(batch.full());
  CandidateBatch::ScoreArray& scores = batch.ScoresOf(0);
  for (uint32_t i = 0; i < CandidateBatch::kMost; ++i) scores[i] = static_cast<float>(i);
  batch.TakeScores(0, 60);
  batch.Finish(60);
  ASSERT_EQ(batch.size(), 4u);
  EXPECT_EQ(batch.docs()[0], 60u);
  EXPECT_EQ(batch.score(3), 63);
}

}  // namespace candidate_batch_test
}  // namespace pmdex
