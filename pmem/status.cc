#include "pmem/status.h"

#include <cerrno>
#include <string>
#include <system_error>

#include "pmem/exhaustion.h"
#include "pmem/text.h"

namespace pmdex {
namespace {

absl::StatusCode CodeOfErrno(int errno_value) {
  switch (errno_value) {
    case ENOENT:
    case ENOTDIR:
      return absl::StatusCode::kNotFound;
    case EEXIST:
      return absl::StatusCode::kAlreadyExists;
    // Allocation fails with EFBIG at a limit of file sizes (RLIMIT_FSIZE, or the file system's).
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return absl::StatusCode::kResourceExhausted;
    case EIO:
    case EBADMSG:
    case EHWPOISON:
      return absl::StatusCode::kDataLoss;
    case EWOULDBLOCK:
    case EBUSY:
      return absl::StatusCode::kUnavailable;
    case ENODEV:  // the file system cannot map
    case EOPNOTSUPP:
    case ENOSYS:
      return absl::StatusCode::kUnimplemented;
    case EINVAL:
    case ENAMETOOLONG:
    case EISDIR:
    case ELOOP:
      return absl::StatusCode::kInvalidArgument;
    default:
      return absl::StatusCode::kInternal;
  }
}

}  // namespace

absl::Status ErrnoStatus(int errno_value, std::string_view what) {
  if (IsExhaustion(errno_value)) return ExhaustionStatus(errno_value, what);
  std::string message(what);
  message += ": ";
  message += std::generic_category().message(errno_value);
  return MakeStatus(CodeOfErrno(errno_value), message);
}

absl::Status MakeStatus(absl::StatusCode code, std::string_view message) {
  return absl::Status(code, ToAbsl(message));
}

std::string_view Message(const absl::Status& status) {
  return ToStd(status.message());
}

}  // namespace pmdex
