// An index and queries for the tests of the profile, made by the program.
#pragma once

#include <string>

#include "gtest/gtest.h"

#include "tests/support/run_program.h"

namespace pmdex {

class ProfiledIndex {
 public:
  ProfiledIndex() {
    std::string lines;
    for (int i = 0; i < 3000; ++i) {
      lines += "common";
      if (i % 2 == 0) lines += " half";
      if (i % 50 == 0) lines += " rare word";
      lines += " n" + std::to_string(i) + "\n";
    }
    const std::string input = directory_.Write("input.txt", lines);
    const ProgramResult made = RunProgram(
        {PMDEX_BINARY, "index", "--index", index(), "--format", "lines", "--quiet", input});
    EXPECT_EQ(made.exit_status, 0) << made.err;
  }

  const TemporaryDirectory& directory() const { return directory_; }
  std::string index() const { return directory_ / "index"; }
  // A file with these lines.
  std::string Queries(const std::string& lines) const { return directory_.Write("q.txt", lines); }

 private:
  TemporaryDirectory directory_;
};

inline constexpr char kQueryLines[] =
    "rare\ncommon\ncommon AND half\nhalf OR rare\n\"rare word\"\nha*\ncommon NOT half\n"
    "+common half rare\n*\nnosuchword\n";

}  // namespace pmdex
