#include "tools/server/elasticsearch/answer_budget.h"

#include <gtest/gtest.h>

namespace pmdex {
namespace answer_budget_test {

TEST(AnswerBudget, GivesItsBytesAndNoMore) {
  AnswerBudget budget(10, kNoDeadline);
  EXPECT_TRUE(budget.Take(4));
  EXPECT_TRUE(budget.Take(6));
  EXPECT_TRUE(budget.Take(0));
  EXPECT_TRUE(budget.status().ok());
  EXPECT_FALSE(budget.Take(1));
  EXPECT_TRUE(absl::IsOutOfRange(budget.status()));
  EXPECT_FALSE(budget.Take(0)) << "no part of a whole answer may be left out";
}

TEST(AnswerBudget, EndsAtTheDeadline) {
  AnswerBudget budget(10, Deadline(Deadline::TimePoint::min()));
  EXPECT_FALSE(budget.Take(1));
  EXPECT_TRUE(absl::IsDeadlineExceeded(budget.status()));
}

}  // namespace answer_budget_test
}  // namespace pmdex
