// Runs another program to its end, without a shell, and collects what it prints. For programs that
// pmdex uses where they are installed: gnuplot, valgrind and ipmctl. Thread-safe: no state.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "pmem/status.h"

namespace pmdex {

struct ChildOptions {
  std::string directory;  // working directory of the child; empty: that of this process
  // The child is killed after this time, and RunChild returns kDeadlineExceeded.
  std::optional<std::chrono::seconds> time_limit;
  // The child is killed when it has printed more, both outputs together, and RunChild returns
  // kResourceExhausted.
  std::optional<size_t> output_limit;
};

struct ChildResult {
  int exit_status = 0;   // 128 + the signal if a signal ended the child
  std::string out;       // its standard output
  std::string messages;  // its standard error
};

// Looks for arguments[0] in PATH and runs it; its standard input is empty. Returns kNotFound if
// there is no such program. A child that fails is a result, not an error. Requires at least one
// argument.
absl::StatusOr<ChildResult> RunChild(const std::vector<std::string>& arguments,
                                     const ChildOptions& options = {});

}  // namespace pmdex
