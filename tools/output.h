// The standard output of the program. All output goes through this file, so that FinishOutput can
// tell whether all of it was written. For one thread.
#pragma once

#include <string_view>

#include "absl/strings/str_format.h"

#include "pmem/status.h"

namespace pmdex {

// If the process was started without standard input, output or error, opens a substitute on which
// reading and writing fail with EBADF. Otherwise the next file to be opened, say a file of the
// index, would become the standard output. Must be called before any file is opened.
void OccupyStandardDescriptors();

// Appends to the buffer of standard output. FinishOutput returns errors.
void WriteOutput(std::string_view text);

template <typename... Args>
void PrintOutput(const absl::FormatSpec<Args...>& format, const Args&... args) {
  const std::string text = absl::StrFormat(format, args...);
  WriteOutput(text);
}

enum class OutputState {
  kWritten,
  kFailed,      // OutputResult::status says why
  kPipeClosed,  // the reader of the pipe has closed it
};
struct OutputResult {
  OutputState state = OutputState::kWritten;
  absl::Status status;
};

// Writes the rest of the buffer, and returns whether all output since the start was written.
OutputResult FinishOutput();

}  // namespace pmdex
