// Runs a program to its end, for tests that drive the command line. No shell is involved.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace pmdex {

struct ProgramResult {
  int exit_status = -1;  // 128 + the signal if it was killed
  std::string out;
  std::string err;
  long max_rss_kib = 0;  // the largest resident set of the process
};

struct ProgramOptions {
  std::string input;                     // standard input
  std::string directory;                 // working directory; empty for that of the test
  std::vector<std::string> environment;  // NAME=VALUE, in addition to that of the test
  bool modes_count = false;  // the modes of files hold for the program even if root runs the test
  // Called in the child before the program starts. May call async-signal-safe functions only.
  std::function<void()> prepare;
};

ProgramResult RunProgram(const std::vector<std::string>& arguments,
                         const ProgramOptions& options = {});

// Starts a program, and kills it by SIGKILL after `moment` if it still runs. Returns true if it
// ended by itself, which it must do with status 0: another one fails the test.
bool RunAndKill(const std::vector<std::string>& arguments, std::chrono::microseconds moment);

// A new directory below the test's temporary directory. The destructor removes it with all files.
// Its path is the one that the kernel has for it, without links and doubled slashes.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  explicit TemporaryDirectory(const std::string& parent);
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  // Writes a file below the directory, makes folders as needed, and returns the path of the file.
  std::string Write(const std::string& name, const std::string& content) const;

 private:
  std::string path_;
};

// The parent directory for tests that make very many files: TEST_TMPDIR if it is set, else a file
// system in memory if there is one.
std::string FastTemporaryParent();

}  // namespace pmdex
