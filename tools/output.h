// The program's standard output. Everything goes through here, so that one place knows whether all
// of it arrived. For one thread.
#pragma once

#include <string_view>

#include "absl/strings/str_format.h"

#include "pmem/status.h"

namespace pmdex {

// Opens what stands in for standard input, output and error where the process was started without
// them: reading and writing it fail with EBADF. Otherwise the next file that is opened, one of the
// index, would be the standard output. Call it before anything is opened.
void OccupyStandardDescriptors();

// Appends to standard output, through its buffer. Errors are kept for FinishOutput.
void WriteOutput(std::string_view text);

template <typename... Args>
void PrintOutput(const absl::FormatSpec<Args...>& format, const Args&... args) {
  const std::string text = absl::StrFormat(format, args...);
  WriteOutput(text);
}

enum class OutputState {
  kWritten,
  kFailed,      // status of FinishOutput says why
  kNoListener,  // the other end of a pipe is closed: nobody wants the rest
};
struct OutputResult {
  OutputState state = OutputState::kWritten;
  absl::Status status;
};

// Writes what is in the buffer; tells whether all output since the start has arrived.
OutputResult FinishOutput();

}  // namespace pmdex
