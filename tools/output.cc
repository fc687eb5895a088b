#include "tools/output.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace pmdex {
namespace {

int first_output_errno = 0;  // the first error of standard output

void NoteOutput(bool written) {
  if (!written && first_output_errno == 0) first_output_errno = errno == 0 ? EIO : errno;
}

}  // namespace

void OccupyStandardDescriptors() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    // A file opened with O_PATH needs no permission and can be neither read nor written. open()
    // returns the lowest free number, which is fd.
    if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/", O_PATH) != fd) _exit(1);
  }
}

void WriteOutput(std::string_view text) {
  errno = 0;
  NoteOutput(std::fwrite(text.data(), 1, text.size(), stdout) == text.size());
}

OutputResult FinishOutput() {
  errno = 0;
  NoteOutput(std::fflush(stdout) == 0);
  OutputResult result;
  if (first_output_errno == 0) return result;
  result.state = first_output_errno == EPIPE ? OutputState::kPipeClosed : OutputState::kFailed;
  result.status = ErrnoStatus(first_output_errno, "standard output");
  return result;
}

}  // namespace pmdex
