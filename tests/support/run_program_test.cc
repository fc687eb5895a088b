#include "tests/support/run_program.h"

#include <gtest/gtest.h>

#include <cstdlib>
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

// With and without code of the test in the child, which starts it in different ways.
TEST(RunProgram, GivesDirectoryAndEnvironment) {
  const TemporaryDirectory directory;
  for (const bool has_code : {false, true}) {
    ProgramOptions options;
    options.directory = directory.path();
    options.environment = {"PATH=/bin", "ADDED=1"};
    if (has_code) options.prepare = [] {};
    const ProgramResult result = RunProgram(
        {"/bin/sh", "-c", "pwd; echo $PATH $ADDED; test -n \"$HOME\" && echo home"}, options);
    EXPECT_EQ(result.out,
              directory.path() + "\n/bin 1\n" + (std::getenv("HOME") == nullptr ? "" : "home\n"));
    EXPECT_EQ(RunProgram({directory / "none"}, options).exit_status, 127);
    options.environment = {"HOME=here"};
    EXPECT_EQ(RunProgram({"/usr/bin/env"}, options).out.find("HOME=/"), std::string::npos);
  }
}

}  // namespace run_program_test
}  // namespace pmdex
