#include "engine/ingest/logs/stamp_time.h"

#include <gtest/gtest.h>

namespace pmdex {
namespace stamp_time_test {

TEST(StampTime, KnowsTheMonthsInAnyCase) {
  EXPECT_TRUE(IsMonthName("Jan"));
  EXPECT_TRUE(IsMonthName("DEC"));
  EXPECT_FALSE(IsMonthName("Jam"));
  EXPECT_FALSE(IsMonthName("Ja"));
}

TEST(StampTime, CountsTwelveHoursTwice) {
  for (const auto& [text, hour] : std::vector<std::pair<std::string_view, int>>{
           {"12:00:00 AM", 0}, {"1:00:00am", 1}, {"12:00:00 PM", 12}, {"11:00:00 pm", 23}}) {
    StampCursor cursor(text);
    const auto stamp = TakeTimeOfDay(cursor, LogStamp());
    ASSERT_TRUE(stamp.has_value()) << text;
    EXPECT_EQ(stamp->hour, hour) << text;
  }
  StampCursor cursor("13:00:00 PM");
  EXPECT_FALSE(TakeTimeOfDay(cursor, LogStamp()).has_value());
}

TEST(StampTime, RefusesOffsetsThatNoZoneHas) {
  for (const std::string_view text : {"10:20:30+15:00", "10:20:30+01:07", "10:20:30+1"}) {
    StampCursor cursor(text);
    const auto stamp = TakeTimeOfDay(cursor, LogStamp());
    ASSERT_TRUE(stamp.has_value()) << text;
    EXPECT_FALSE(stamp->offset_seconds.has_value()) << text;
  }
}

TEST(StampTime, TellsTheUnitOfANumberByItsDigits) {
  EXPECT_EQ(EpochStamp("1643624430")->epoch, 1643624430000000000);
  EXPECT_EQ(EpochStamp("1643624430.5")->epoch, 1643624430500000000);
  EXPECT_EQ(EpochStamp("1643624430123")->epoch, 1643624430123000000);
  EXPECT_EQ(EpochStamp("1643624430123456")->epoch, 1643624430123456000);
  EXPECT_FALSE(EpochStamp("16436244301").has_value());
  EXPECT_FALSE(EpochStamp("0643624430").has_value());
  EXPECT_FALSE(EpochStamp("4102444800").has_value());
  EXPECT_FALSE(EpochStamp("9999999999999999999").has_value());
}

}  // namespace stamp_time_test
}  // namespace pmdex
