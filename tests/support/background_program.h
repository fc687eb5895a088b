// Runs a program beside the test, for tests of servers. For one thread.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "pmem/file_descriptor.h"

namespace pmdex {

class BackgroundProgram {
 public:
  // environment: NAME=VALUE, in addition to that of the test. A descriptor in `inherited` becomes
  // number 3, and LISTEN_PID is set for the program where LISTEN_FDS is.
  BackgroundProgram(const std::vector<std::string>& arguments,
                    const std::vector<std::string>& environment = {}, int inherited = -1);
  // Kills the program if it still runs.
  ~BackgroundProgram();
  BackgroundProgram(const BackgroundProgram&) = delete;
  BackgroundProgram& operator=(const BackgroundProgram&) = delete;

  pid_t pid() const { return pid_; }
  // Waits until the program has written a line with this text to stderr. Returns the line, or "" if
  // the program ends before.
  std::string AwaitLine(const std::string& text);
  void Signal(int signal) const;
  // Waits for the end. Returns the exit status; 128 + the signal if it was killed.
  int AwaitEnd();
  // What it has written to stderr so far, and all of it after AwaitEnd.
  const std::string& err() const { return err_; }

 private:
  bool ReadMore();

  pid_t pid_ = -1;
  FileDescriptor stderr_;
  std::string err_;
  size_t seen_ = 0;
};

}  // namespace pmdex
