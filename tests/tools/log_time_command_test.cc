// The times of log lines by the program (tools/log_flags.h): building, ranges, sorting and
// histograms.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/run_program.h"
#include "tests/support/store_state.h"

namespace pmdex {
namespace log_time_command_test {

using nlohmann::json;

class LogTimeCommand : public testing::Test {
 protected:
  ProgramResult Run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), PMDEX_BINARY);
    ProgramOptions options;
    options.directory = directory_.path();
    options.environment = {"PMDEX_INDEX="};
    return RunProgram(arguments, options);
  }
  json RunJson(const std::vector<std::string>& arguments) {
    const ProgramResult result = Run(arguments);
    EXPECT_EQ(result.exit_status, 0) << result.err;
    return json::parse(result.out);
  }

  TemporaryDirectory directory_;
};

TEST_F(LogTimeCommand, FindsSortsAndCountsLinesByTheirTimes) {
  directory_.Write("a.log",
                   "2026-01-31 10:20:30,123 INFO started\n"
                   "2026-01-31 10:50:00,000 ERROR broke\n"
                   "\tat com.foo.Bar\n"
                   "2026-01-31 13:00:00,000 INFO ended\n");
  RunJson({"index", "--json", "--format", "lines", "--log-time", "--log-zone", "+01:00", "a.log"});
  const json range = RunJson(
      {"search", "--json", "--count", "time:[2026-01-31T09:30:00Z TO 2026-01-31T10:00:00Z]"});
  EXPECT_EQ(range["total"]["value"], 2);
  const json sorted = RunJson({"search", "--json", "--sort", "time:desc", "--fields-out", "time",
                               "--facet", "time:date_histogram:1h", "*"});
  EXPECT_EQ(sorted["hits"][0]["id"], "a.log:4");
  EXPECT_EQ(sorted["hits"][0]["fields"]["time"], "2026-01-31T12:00:00Z");
  EXPECT_EQ(sorted["hits"][3]["fields"]["time"], "2026-01-31T09:20:30.123Z");
  const json& buckets = sorted["facets"][0]["buckets"];
  ASSERT_EQ(buckets.size(), 4u);
  EXPECT_EQ(buckets[0]["count"], 3);
  EXPECT_EQ(buckets[1]["count"], 0);
  EXPECT_EQ(buckets[3]["count"], 1);
  const json info = RunJson({"info", "--json"});
  EXPECT_EQ(info["fields"]["time"]["type"], "date");
}

TEST_F(LogTimeCommand, RefusesWrongUsage) {
  directory_.Write("a.log", "x\n");
  const ProgramResult files = Run({"index", "--log-time", "a.log"});
  EXPECT_EQ(files.exit_status, 2);
  EXPECT_THAT(files.err, testing::HasSubstr("--format lines"));
  const ProgramResult zone =
      Run({"index", "--format", "lines", "--log-time", "--log-zone", "Mars/Olympus", "a.log"});
  EXPECT_EQ(zone.exit_status, 2);
  EXPECT_THAT(zone.err, testing::HasSubstr("is no time zone"));
  EXPECT_EQ(Run({"index", "--format", "lines", "--log-zone", "UTC", "a.log"}).exit_status, 2);
}

}  // namespace log_time_command_test
}  // namespace pmdex
