#include "tools/find/known_accounts.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/run_program.h"
#include "tools/find/index_entries.h"

namespace pmdex {
namespace known_accounts_test {

TEST(CheckAccount, KnowsNamesOfTheIndexAndOfTheMachine) {
  const TemporaryDirectory directory;
  directory.Write("entries.jsonl", R"({"id": "1", "user": "elsewhere", "group": "abroad"})");
  directory.Write("schema.toml",
                  "[fields.user]\ntype = \"keyword\"\nmulti = false\n"
                  "[fields.group]\ntype = \"keyword\"\nmulti = false\n");
  const ProgramResult result =
      RunProgram({PMDEX_BINARY, "index", directory / "entries.jsonl", "--schema",
                  directory / "schema.toml", "--index", directory / "index", "--quiet"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  const auto entries = IndexEntries::Open(directory / "index", "");
  ASSERT_TRUE(entries.ok()) << entries.status();
  const auto check = [&](FileAttribute attribute, const std::string& name) {
    return CheckAccount(entries->snapshot(), attribute, name);
  };
  EXPECT_TRUE(check(FileAttribute::kUser, "elsewhere").ok());
  EXPECT_TRUE(check(FileAttribute::kGroup, "abroad").ok());
  EXPECT_TRUE(check(FileAttribute::kUser, "root").ok());
  EXPECT_TRUE(check(FileAttribute::kGroup, "root").ok());
  EXPECT_EQ(check(FileAttribute::kUser, "abroad").message(),
            "find: 'abroad' is not the name of a known user");
  EXPECT_EQ(check(FileAttribute::kGroup, "elsewhere").message(),
            "find: 'elsewhere' is not the name of an existing group");
  EXPECT_TRUE(absl::IsNotFound(check(FileAttribute::kUser, "elsewher")));
  EXPECT_TRUE(absl::IsNotFound(check(FileAttribute::kUser, "")));
}

}  // namespace known_accounts_test
}  // namespace pmdex
