#include "engine/ingest/entries/account_names.h"

#include <gtest/gtest.h>

namespace pmdex {
namespace account_names_test {

TEST(AccountNames, KnowRootAndNobodyElseByAccident) {
  AccountNames names;
  for (int time = 0; time < 2; ++time) {
    EXPECT_EQ(names.User(0), "root");
    EXPECT_EQ(names.Group(0), "root");
    EXPECT_EQ(names.User(3'999'999'999), "");
    EXPECT_EQ(names.Group(3'999'999'999), "");
  }
}

}  // namespace account_names_test
}  // namespace pmdex
