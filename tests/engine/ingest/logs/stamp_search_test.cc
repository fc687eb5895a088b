#include "engine/ingest/logs/stamp_search.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace pmdex {
namespace stamp_search_test {

LogStamp At(int year, int month, int day, int hour, int minute, int second, int nanosecond = 0) {
  LogStamp stamp;
  stamp.year = year;
  stamp.month = month;
  stamp.day = day;
  stamp.hour = hour;
  stamp.minute = minute;
  stamp.second = second;
  stamp.nanosecond = nanosecond;
  return stamp;
}

LogStamp In(LogStamp stamp, int offset_seconds) {
  stamp.offset_seconds = offset_seconds;
  return stamp;
}

LogStamp Epoch(int64_t nanoseconds) {
  LogStamp stamp;
  stamp.epoch = nanoseconds;
  return stamp;
}

constexpr int kMs = 1'000'000;

struct Case {
  std::string line;
  LogStamp stamp;
};

void Check(const std::vector<Case>& cases) {
  for (const Case& expected : cases) {
    const auto found = FindLogStamp(expected.line);
    ASSERT_TRUE(found.has_value()) << expected.line;
    EXPECT_TRUE(*found == expected.stamp)
        << expected.line << ": " << found->year << "-" << found->month << "-" << found->day << " "
        << found->hour << ":" << found->minute << ":" << found->second << " " << found->nanosecond
        << " epoch " << found->epoch.value_or(-1) << " offset "
        << found->offset_seconds.value_or(-1);
    const auto with_return = FindLogStamp(expected.line + "\r");
    EXPECT_TRUE(with_return.has_value() && *with_return == expected.stamp) << expected.line;
  }
}

TEST(StampSearch, ReadsWhatIso8601AndItsVariantsWrite) {
  Check({
      {"2026-01-31T10:20:30Z x", In(At(2026, 1, 31, 10, 20, 30), 0)},
      {"2026-01-31t10:20:30.123456789z", In(At(2026, 1, 31, 10, 20, 30, 123456789), 0)},
      {"2026-01-31T10:20:30.1234567891+01:00", In(At(2026, 1, 31, 10, 20, 30, 123456789), 3600)},
      {"2026-01-31 10:20:30,123 - root - INFO", At(2026, 1, 31, 10, 20, 30, 123 * kMs)},
      {"2026-01-31 10:20:30.5 -0530 x", In(At(2026, 1, 31, 10, 20, 30, 500 * kMs), -19800)},
      {"2026-01-31 10:20:30 -0700", In(At(2026, 1, 31, 10, 20, 30), -25200)},
      {"2026-01-31 10:20:30 -7 apples", At(2026, 1, 31, 10, 20, 30)},
      {"2026-01-31T10:20+01", In(At(2026, 1, 31, 10, 20, 0), 3600)},
      {"2026-01-31 10:20:30 UTC [12] LOG:", In(At(2026, 1, 31, 10, 20, 30), 0)},
      {"2026-01-31 10:20:30.123 CET [12] LOG:", At(2026, 1, 31, 10, 20, 30, 123 * kMs)},
      {"20260131T102030Z x", In(At(2026, 1, 31, 10, 20, 30), 0)},
      {"20260131 102030.25 x", At(2026, 1, 31, 10, 20, 30, 250 * kMs)},
      {"20260131102030 x", At(2026, 1, 31, 10, 20, 30)},
      {"level=info time=\"2026-01-31T10:20:30Z\"", In(At(2026, 1, 31, 10, 20, 30), 0)},
      {"{\"ts\":\"2026-01-31T10:20:30Z\"}", In(At(2026, 1, 31, 10, 20, 30), 0)},
      {"    \"at\": \"2026-01-31T10:20:30Z\"", In(At(2026, 1, 31, 10, 20, 30), 0)},
      {"I, [2026-01-31T10:20:30.5 #1234]  INFO", At(2026, 1, 31, 10, 20, 30, 500 * kMs)},
      {"2016-06-30T23:59:60Z", In(At(2016, 6, 30, 23, 59, 60), 0)},
  });
}

TEST(StampSearch, ReadsSyslogAndWebServers) {
  Check({
      {"Jan  2 03:04:05 host sshd[1]: x", At(0, 1, 2, 3, 4, 5)},
      {"<34>Oct 11 22:14:15 host su: x", At(0, 10, 11, 22, 14, 15)},
      {"<165>1 2003-10-11T22:14:15.003Z host", In(At(2003, 10, 11, 22, 14, 15, 3 * kMs), 0)},
      {"127.0.0.1 - - [10/Oct/2000:13:55:36 -0700] \"GET /2026-01-01 10:00:00\"",
       In(At(2000, 10, 10, 13, 55, 36), -25200)},
      {"2001:db8::1 - bob [01/Feb/2026:00:00:00 +0000]", In(At(2026, 2, 1, 0, 0, 0), 0)},
      {"haproxy[674]: 127.0.0.1:33320 [15/Oct/2003:08:32:17.654] px",
       At(2003, 10, 15, 8, 32, 17, 654 * kMs)},
      {"[Sun Dec 04 04:47:44 2005] [notice] x", At(2005, 12, 4, 4, 47, 44)},
      {"[Fri Sep 09 10:42:29.902022 2011] [core:error]", At(2011, 9, 9, 10, 42, 29, 902'022'000)},
      {"Sun Dec  4 04:47:44 UTC 2005", In(At(2005, 12, 4, 4, 47, 44), 0)},
      {"2026/01/31 10:20:30 [error] 5#5: x", At(2026, 1, 31, 10, 20, 30)},
      {"1286536309.586    921 192.168.0.68 TCP_MISS", Epoch(1286536309586000000)},
  });
}

TEST(StampSearch, ReadsCommonLoggers) {
  Check({
      {"I0131 10:20:30.123456   12 f.go:3] x", At(0, 1, 31, 10, 20, 30, 123'456'000)},
      {"E20260131 10:20:30.123456 12 f.cc:3] x", At(2026, 1, 31, 10, 20, 30, 123'456'000)},
      {"2009/11/10 23:00:00.123123 main.go:1: x", At(2009, 11, 10, 23, 0, 0, 123'123'000)},
      {"31-Jan-2026 10:20:30.123 INFO [main]", At(2026, 1, 31, 10, 20, 30, 123 * kMs)},
      {"12:M 31 Jan 2026 10:20:30.123 * Ready", At(2026, 1, 31, 10, 20, 30, 123 * kMs)},
      {"Jan 31, 2026 12:20:30 AM com.foo", At(2026, 1, 31, 0, 20, 30)},
      {"Jan 31 2026 10:20:30: %ASA", At(2026, 1, 31, 10, 20, 30)},
      {"01/31/2026 01:20:30 PM x", At(2026, 1, 31, 13, 20, 30)},
      {"31.01.2026 10:20:30 x", At(2026, 1, 31, 10, 20, 30)},
      {"type=SYSCALL msg=audit(1364481363.243:24287): x", Epoch(1364481363243000000)},
      {"[1286536309] SERVICE ALERT", Epoch(1286536309000000000)},
      {"{\"ts\":1643624430123}", Epoch(1643624430123000000)},
      {"1643624430123456789 x", Epoch(1643624430123456789)},
  });
}

// Beginnings of lines of the systems of Loghub.
TEST(StampSearch, ReadsTheSystemsOfLoghub) {
  Check({
      {"03-17 16:13:38.811  1702  2395 D WindowManager", At(0, 3, 17, 16, 13, 38, 811 * kMs)},
      {"- 1117838570 2005.06.03 R02-M1-N0 2005-06-03-15.42.50.363779 R02",
       Epoch(1117838570000000000)},
      {"APPREAD 1117869872 2005.06.04 R04", Epoch(1117869872000000000)},
      {"R02 2005-06-03-15.42.50.363779 RAS", At(2005, 6, 3, 15, 42, 50, 363'779'000)},
      {"2015-10-18 18:01:47,978 INFO [main]", At(2015, 10, 18, 18, 1, 47, 978 * kMs)},
      {"081109 203615 148 INFO dfs.DataNode", At(2008, 11, 9, 20, 36, 15)},
      {"20171223-22:15:29:606|Step_LSC|30002312", At(2017, 12, 23, 22, 15, 29, 606 * kMs)},
      {"20171224-0:7:20:44|Step_LSC", At(2017, 12, 24, 0, 7, 20, 44 * kMs)},
      {"134681 node-246 unix.hw state_change.unavailable 1077804742 1", Epoch(1077804742000000000)},
      {"Jul  1 09:00:55 calvisitor-10-105-160-95 kernel[0]: x", At(0, 7, 1, 9, 0, 55)},
      {"nova-api.log.1.2017-05-16_13:53:08 2017-05-16 00:00:00.008 25746 INFO",
       At(2017, 5, 16, 0, 0, 0, 8 * kMs)},
      {"[10.30 16:49:06] chrome.exe - proxy", At(0, 10, 30, 16, 49, 6)},
      {"17/06/09 20:10:40 INFO executor", At(2017, 6, 9, 20, 10, 40)},
      {"- 1131566461 2005.11.09 dn228 Nov 9 12:01:01 dn228", Epoch(1131566461000000000)},
      {"2016-09-28 04:30:30, Info                  CBS    Loaded", At(2016, 9, 28, 4, 30, 30)},
      {"2015-07-29 17:41:44,747 - INFO  [QuorumPeer", At(2015, 7, 29, 17, 41, 44, 747 * kMs)},
  });
}

TEST(StampSearch, FindsNoneInWhatOnlyLooksLikeOne) {
  for (const std::string line : {"",
                                 "\r",
                                 "\tat com.foo.Bar(Bar.java:12)",
                                 "10.0.0.1 GET",
                                 "version 4.10.2026",
                                 "2026-01-31 without a time",
                                 "2026-13-01 10:20:30",
                                 "2026-01-32 10:20:30",
                                 "2026-01-31 24:20:30",
                                 "2026-01-31 10:60:30",
                                 "2026-01-31 10:20:61",
                                 "May be",
                                 "Mar 1",
                                 "  1643624430 goes on",
                                 "id 9999999999",
                                 "1643624430x",
                                 "12345",
                                 "log-2026-01-31T10:20:30",
                                 "/var/2026-01-31 10:20:30",
                                 "Jan 32 03:04:05",
                                 "Jan 00 03:04:05",
                                 "0631 10:20:30",
                                 "[    0.000000] Linux version",
                                 "10:20:30 x",
                                 "20261331T102030",
                                 "1900-01-01 00:00:00"}) {
    EXPECT_FALSE(FindLogStamp(line).has_value()) << line;
  }
}

TEST(StampSearch, TakesTheLeftmostAndLooksAtTheBeginningAlone) {
  Check({{"a Jan  2 03:04:05 b 2026-01-31T10:20:30Z", At(0, 1, 2, 3, 4, 5)}});
  const std::string stamp = " 2026-01-31 10:20:30";
  EXPECT_TRUE(FindLogStamp(std::string(kMostBytesBeforeStamp - 2, '.') + stamp).has_value());
  EXPECT_FALSE(FindLogStamp(std::string(kMostBytesBeforeStamp, '.') + stamp).has_value());
}

// Cut and changed stamps, for the sanitizers: what comes out is in range.
TEST(StampSearch, IsInRangeWhateverTheLineHolds) {
  std::mt19937 random(7);
  const std::string characters = "0123456789 -/:.,TZ+[]JanFebDecIPMAM\"";
  for (int i = 0; i < 50000; ++i) {
    std::string line = i % 2 == 0 ? "2026-01-31T10:20:30.123+01:00" : "Jan 31 10:20:30 2026";
    for (int changes = static_cast<int>(random() % 4); changes > 0; --changes) {
      line[random() % line.size()] = characters[random() % characters.size()];
    }
    line.resize(random() % (line.size() + 1));
    const auto stamp = FindLogStamp(line);
    if (!stamp.has_value() || stamp->epoch.has_value()) continue;
    EXPECT_TRUE(stamp->year == 0 || (stamp->year >= 1969 && stamp->year <= 2261)) << line;
    EXPECT_TRUE(stamp->month >= 1 && stamp->month <= 12) << line;
    EXPECT_TRUE(stamp->day >= 1 && stamp->day <= 31) << line;
    EXPECT_TRUE(stamp->hour >= 0 && stamp->hour <= 23) << line;
    EXPECT_TRUE(stamp->minute >= 0 && stamp->minute <= 59) << line;
    EXPECT_TRUE(stamp->second >= 0 && stamp->second <= 60) << line;
    EXPECT_TRUE(stamp->nanosecond >= 0 && stamp->nanosecond < 1'000'000'000) << line;
  }
}

}  // namespace stamp_search_test
}  // namespace pmdex
