// The flags of `pmdex profile` that its forms have and that they refuse.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/run_program.h"

namespace pmdex {
namespace profile_flags_test {

ProgramResult RunProfileWith(std::vector<std::string> arguments,
                             const std::vector<std::string>& more) {
  arguments.insert(arguments.begin(), {PMDEX_BINARY, "profile"});
  arguments.insert(arguments.end(), more.begin(), more.end());
  return RunProgram(arguments);
}

// What a form that runs no queries has no use for.
const std::vector<std::vector<std::string>> kFlagsOfQueries = {
    {"--index", "/none"},    {"--queries", "/none"}, {"--compare", "/none"}, {"--modes", "pruned"},
    {"--threads", "1"},      {"--passes", "3"},      {"--simulate"},         {"--simd", "auto"},
    {"--nvme-io", "direct"}, {"--cache", "1M"}};

TEST(ProfileFlags, OfQueriesAreRefusedWhereNoQueriesRun) {
  // No such process and no such files: what is not refused ends with status 1.
  const std::vector<std::vector<std::string>> forms = {{"--pid", "1073741824"},
                                                       {"--diff", "/none", "/none"}};
  for (const std::vector<std::string>& form : forms) {
    EXPECT_EQ(RunProfileWith(form, {}).exit_status, 1) << form[0];
    EXPECT_EQ(RunProfileWith(form, {"--json"}).exit_status, 1) << form[0];
    for (const std::vector<std::string>& flag : kFlagsOfQueries) {
      const ProgramResult refused = RunProfileWith(form, flag);
      EXPECT_EQ(refused.exit_status, 2) << form[0] << " " << flag[0];
      EXPECT_NE(refused.err.find(form[0] + " "), std::string::npos) << refused.err;
      EXPECT_NE(refused.err.find(flag[0] + " cannot go with it"), std::string::npos) << refused.err;
    }
  }
}

TEST(ProfileFlags, OfAProcessAreRefusedWithoutOne) {
  const ProgramResult both = RunProfileWith({"--diff", "/none", "/none"}, {"--pid", "1073741824"});
  EXPECT_EQ(both.exit_status, 2);
  EXPECT_NE(both.err.find("--pid cannot go with it"), std::string::npos) << both.err;
  const ProgramResult queries = RunProfileWith({"--queries", "/none"}, {"--seconds", "3"});
  EXPECT_EQ(queries.exit_status, 2);
  EXPECT_NE(queries.err.find("give --pid, too"), std::string::npos) << queries.err;
  EXPECT_EQ(RunProfileWith({"--diff", "/none", "/none"}, {"--seconds", "3"}).exit_status, 2);
  EXPECT_EQ(RunProfileWith({"--pid", "1073741824"}, {"--seconds", "3"}).exit_status, 1);
}

}  // namespace profile_flags_test
}  // namespace pmdex
