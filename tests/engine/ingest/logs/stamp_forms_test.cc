#include "engine/ingest/logs/stamp_forms.h"

#include <gtest/gtest.h>

namespace pmdex {
namespace stamp_forms_test {

TEST(StampForms, TakeANumberSince1970OnlyWhereItMayBeOne) {
  EXPECT_TRUE(StampAtDigit("1643624430 x", '\0', /*may_be_epoch=*/true).has_value());
  EXPECT_FALSE(StampAtDigit("1643624430 x", '\0', /*may_be_epoch=*/false).has_value());
}

TEST(StampForms, TakeADayWithDotsAndNoYearOnlyBehindABracket) {
  EXPECT_TRUE(StampAtDigit("10.30 16:49:06", '[', false).has_value());
  EXPECT_FALSE(StampAtDigit("10.30 16:49:06", ' ', false).has_value());
}

TEST(StampForms, ReadYearsOfTwoDigitsAsPosixDoes) {
  EXPECT_EQ(StampAtDigit("681109 203615", '\0', false)->year, 2068);
  EXPECT_EQ(StampAtDigit("691109 203615", '\0', false)->year, 1969);
}

TEST(StampForms, ReadGlogOnlyBehindTheLetterOfASeverity) {
  EXPECT_TRUE(StampOfGlog("W0131 10:20:30.5").has_value());
  EXPECT_FALSE(StampOfGlog("X0131 10:20:30.5").has_value());
  EXPECT_FALSE(StampOfGlog("I1331 10:20:30.5").has_value());
  EXPECT_FALSE(StampOfGlog("I01311 10:20:30.5").has_value());
}

TEST(StampForms, TakeTheYearBehindTheTimeOnlyWhereItEndsThere) {
  EXPECT_EQ(StampAtMonth("Dec 04 04:47:44 2005]")->year, 2005);
  EXPECT_EQ(StampAtMonth("Dec 04 04:47:44 2005x")->year, 0);
  EXPECT_EQ(StampAtMonth("Dec 04 04:47:44 host 2005")->year, 2005);  // as a zone of four letters
  EXPECT_EQ(StampAtMonth("Dec 04 04:47:44 server 2005")->year, 0);
}

}  // namespace stamp_forms_test
}  // namespace pmdex
