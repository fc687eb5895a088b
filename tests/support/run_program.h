// Runs a program to its end, for tests that drive the command line. No shell is involved.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace pmdex {

struct ProgramResult {
  int exit_status = -1;  // 128 + signal when it was killed
  std::string out;
  std::string err;
  long max_rss_kib = 0;  // largest resident set of the process
};

struct ProgramOptions {
  std::string input;                     // standard input
  std::string directory;                 // working directory; empty: the test's own
  std::vector<std::string> environment;  // NAME=VALUE, added
  bool modes_count = false;  // modes of files count for the program even when root runs the test
  // Called in the child before the program starts: async-signal-safe functions only.
  std::function<void()> prepare;
};

ProgramResult RunProgram(const std::vector<std::string>& arguments,
                         const ProgramOptions& options = {});

// A fresh directory below the test's temporary directory, removed with all it holds. Its path is
// the one that the kernel has for it, without links and doubled slashes.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  explicit TemporaryDirectory(const std::string& parent);
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  // Writes a file below it, making folders as needed; returns its path.
  std::string Write(const std::string& name, const std::string& content) const;

 private:
  std::string path_;
};

// A parent for tests that make very many files: a file system in memory where there is one, unless
// TEST_TMPDIR says where to test.
std::string FastTemporaryParent();

}  // namespace pmdex
