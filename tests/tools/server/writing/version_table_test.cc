#include "tools/server/writing/version_table.h"

#include <gtest/gtest.h>

#include "tools/server/writing/byte_budget.h"

namespace pmdex {
namespace version_table_test {

TEST(VersionTable, CountsTheWritesOfAnId) {
  VersionTable versions;
  EXPECT_EQ(versions.Of("a"), 1u);
  EXPECT_EQ(versions.Next("a", /*existed=*/false), 1u);
  EXPECT_EQ(versions.Of("a"), 1u);
  EXPECT_EQ(versions.Next("a", true), 2u);
  EXPECT_EQ(versions.Next("a", true), 3u);   // a deletion, say
  EXPECT_EQ(versions.Next("a", false), 4u);  // goes on behind it
  EXPECT_EQ(versions.Of("a"), 4u);
  EXPECT_EQ(versions.Of("b"), 1u);
}

TEST(VersionTable, KeepsABoundedNumberOfIds) {
  VersionTable versions(2);
  for (const char* id : {"a", "b", "c"}) EXPECT_EQ(versions.Next(id, true), 2u);
  EXPECT_EQ(versions.Of("a"), 1u);
  EXPECT_EQ(versions.Of("c"), 2u);
}

TEST(ByteBudget, RefusesWhatIsNotLeft) {
  ByteBudget budget(10);
  auto first = budget.Reserve(6);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(budget.Reserve(5), nullptr);
  EXPECT_EQ(budget.Reserve(UINT64_MAX), nullptr);
  const auto second = budget.Reserve(4);
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(budget.used_bytes(), 10u);
  first.reset();
  EXPECT_EQ(budget.used_bytes(), 4u);
  EXPECT_NE(budget.Reserve(6), nullptr);
}

}  // namespace version_table_test
}  // namespace pmdex
