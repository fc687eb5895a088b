#include "tests/support/run_program.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace pmdex {
namespace run_program_test {

namespace fs = std::filesystem;

TEST(TemporaryDirectory, HasThePathThatTheKernelHasForIt) {
  const TemporaryDirectory parent;
  fs::create_directory(parent / "real");
  fs::create_symlink("real", parent / "link");
  for (const std::string& written :
       {parent.path() + "//real//", parent / "./link", parent / "link/../real"}) {
    const TemporaryDirectory directory(written);
    EXPECT_EQ(directory.path(), fs::canonical(directory.path()).string()) << written;
    EXPECT_TRUE(directory.path().starts_with(parent / "real/")) << directory.path();
  }
  EXPECT_TRUE(fs::is_empty(parent / "real"));
}

TEST(RunProgram, GivesInputAndTakesOutputAndStatus) {
  ProgramOptions options;
  options.input = "text";
  const ProgramResult result =
      RunProgram({"/bin/sh", "-c", "cat; echo wrong >&2; exit 3"}, options);
  EXPECT_EQ(result.exit_status, 3);
  EXPECT_EQ(result.out, "text");
  EXPECT_EQ(result.err, "wrong\n");
}

}  // namespace run_program_test
}  // namespace pmdex
