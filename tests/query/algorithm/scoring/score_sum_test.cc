#include "query/algorithm/scoring/score_sum.h"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace pmdex {
namespace score_sum_test {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Clauses of one leaf, or of up to three sums of up to three leaves.
ScoreSum::Rows RandomRows(std::mt19937& random) {
  ScoreSum::Rows rows;
  for (uint32_t clauses = 1 + random() % 4; clauses > 0; --clauses) {
    if (random() % 2 == 0) {
      rows.push_back({.is_clause = true, .ends_sum = true, .ends_clause = true});
      continue;
    }
    for (uint32_t sums = 1 + random() % 3; sums > 0; --sums) {
      for (uint32_t leaves = 1 + random() % 3; leaves > 0; --leaves) {
        rows.push_back(
            {.is_clause = false, .ends_sum = leaves == 1, .ends_clause = leaves == 1 && sums == 1});
      }
    }
  }
  return rows;
}

std::vector<float> RandomScores(size_t count, std::mt19937& random) {
  std::vector<float> scores;
  for (size_t i = 0; i < count; ++i) {
    const float magnitude = std::pow(10.0f, static_cast<float>(random() % 5) - 2);
    scores.push_back(random() % 6 == 0 ? 0 : magnitude * static_cast<float>(random() % 100000));
  }
  return scores;
}

TEST(ScoreSum, RoundsEachSumAndClauseAndTheTotal) {
  const float big = 16777216;  // above it floats are two apart
  const ScoreSum one_clause({{}, {}, {.ends_sum = true, .ends_clause = true}});
  EXPECT_EQ(one_clause.Of(std::vector<float>{big, 1, 1}), big + 2);  // added in double precision
  const ScoreSum sums({{.ends_sum = true}, {.ends_sum = true}, {.ends_sum = true}});
  EXPECT_EQ(sums.Of(std::vector<float>{1, 2, 3}), 0);  // no clause ends
  const ScoreSum rounded({{}, {.ends_sum = true}, {.ends_sum = true, .ends_clause = true}});
  EXPECT_EQ(rounded.Of(std::vector<float>{big, 1, 1}), big);  // big + 1 is rounded, then again
}

TEST(ScoreSum, NeverFallsWhenAScoreRises) {
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    const ScoreSum sum(RandomRows(random));
    std::vector<float> scores = RandomScores(sum.size(), random);
    const float before = sum.Of(scores);
    float& raised = scores[random() % scores.size()];
    raised = std::nextafter(raised, kInfinity) * (1 + static_cast<float>(random() % 3));
    EXPECT_GE(sum.Of(scores), before);
  }
}

TEST(ScoreSum, FindsTheLeastScoreToTheLastBit) {
  std::mt19937 random(2);
  size_t inside = 0;
  for (int round = 0; round < 20000; ++round) {
    const ScoreSum sum(RandomRows(random));
    std::vector<float> scores = RandomScores(sum.size(), random);
    const size_t row = random() % scores.size();
    const float bound = scores[row];
    const float most = sum.Of(scores);
    // What the k-th best score is like: a little less than the bounds together, or exactly those.
    float least = most * (round % 3 == 0 ? 1.0f : static_cast<float>(random() % 1000) / 1000);
    if (round % 5 == 0) least = std::nextafter(least, kInfinity);
    const float found = sum.LeastScore(row, scores, least);
    if (found == kInfinity) {
      EXPECT_LT(most, least);
      continue;
    }
    EXPECT_LE(found, bound);
    scores[row] = found;
    EXPECT_GE(sum.Of(scores), least);
    if (found == 0) continue;
    ++inside;
    scores[row] = std::nextafter(found, 0.0f);
    EXPECT_LT(sum.Of(scores), least);
  }
  EXPECT_GT(inside, 2000u);
}

}  // namespace score_sum_test
}  // namespace pmdex
