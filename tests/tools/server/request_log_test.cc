#include "tools/server/request_log.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/run_program.h"

namespace pmdex {
namespace request_log_test {

using nlohmann::json;

std::vector<json> Lines(const std::string& path) {
  std::vector<json> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) lines.push_back(json::parse(line));
  return lines;
}

FinishedRequest Request(const std::string& target) {
  const auto now = ServerClock::now();
  return {"GET", target, 200, 12, now - std::chrono::milliseconds(5), now};
}

TEST(RequestLog, WritesALineForEachRequestAndEachSlowQuery) {
  const TemporaryDirectory directory;
  {
    auto log = RequestLog::Open({directory / "access", directory / "slow"});
    ASSERT_TRUE(log.ok()) << log.status();
    (*log)->Access(Request("/search?q=\"a\"\n"));
    FinishedRequest of_user = Request("/stats");
    of_user.user = "alice";
    (*log)->Access(of_user);
    (*log)->Slow({"books", "a b", 7000, 3, true, std::nullopt});
  }
  const auto access = Lines(directory / "access");
  ASSERT_EQ(access.size(), 2u);
  EXPECT_EQ(access[0]["target"], "/search?q=\"a\"\n");
  EXPECT_EQ(access[0]["status"], 200);
  EXPECT_EQ(access[0]["bytes"], 12);
  EXPECT_DOUBLE_EQ(access[0]["ms"], 5.0);
  EXPECT_FALSE(access[0].contains("user"));
  EXPECT_EQ(access[1]["user"], "alice");
  const auto slow = Lines(directory / "slow");
  ASSERT_EQ(slow.size(), 1u);
  EXPECT_EQ(slow[0]["index"], "books");
  EXPECT_EQ(slow[0]["took_ms"], 7.0);
  EXPECT_EQ(slow[0]["timed_out"], true);
}

TEST(RequestLog, IsOffWithoutAPath) {
  auto log = RequestLog::Open({});
  ASSERT_TRUE(log.ok()) << log.status();
  EXPECT_FALSE((*log)->logs_access());
  EXPECT_FALSE((*log)->logs_slow());
}

TEST(RequestLog, OpensItsFileAgainAfterItWasMovedAway) {
  const TemporaryDirectory directory;
  {
    auto log = RequestLog::Open({directory / "access", ""});
    ASSERT_TRUE(log.ok()) << log.status();
    std::filesystem::rename(directory / "access", directory / "old");
    (*log)->Reopen();
    (*log)->Access(Request("/later"));
  }
  EXPECT_EQ(Lines(directory / "access").size() + Lines(directory / "old").size(), 1u);
  EXPECT_TRUE(std::filesystem::exists(directory / "access"));
}

TEST(RequestLog, CannotBeginWithAFileThatCannotBeOpened) {
  EXPECT_FALSE(RequestLog::Open({"/no/such/folder/log", ""}).ok());
}

}  // namespace request_log_test
}  // namespace pmdex
