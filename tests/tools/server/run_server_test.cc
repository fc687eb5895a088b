// serve_command_test.cc runs whole servers.
#include "tools/server/run_server.h"

#include <gtest/gtest.h>

namespace pmdex {
namespace run_server_test {

TEST(RunServer, ReadsListsOfCpus) {
  EXPECT_EQ(*ParseCpuList("0-3,8"), (std::vector<int>{0, 1, 2, 3, 8}));
  for (const char* wrong : {"", "a", "3-1", "-1", "0-", "1,,2", "0-99999"}) {
    EXPECT_FALSE(ParseCpuList(wrong).ok()) << wrong;
  }
}

}  // namespace run_server_test
}  // namespace pmdex
