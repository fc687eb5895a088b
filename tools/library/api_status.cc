#include "tools/library/api_status.h"

#include <string>

namespace pmdex {
namespace {

ErrorCode CodeOf(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kOk:
      return ErrorCode::kNone;
    case absl::StatusCode::kInvalidArgument:
      return ErrorCode::kInvalidArgument;
    case absl::StatusCode::kNotFound:
      return ErrorCode::kNotFound;
    case absl::StatusCode::kAlreadyExists:
      return ErrorCode::kAlreadyExists;
    case absl::StatusCode::kFailedPrecondition:
      return ErrorCode::kFailedPrecondition;
    case absl::StatusCode::kUnavailable:
      return ErrorCode::kUnavailable;
    case absl::StatusCode::kResourceExhausted:
      return ErrorCode::kResourceExhausted;
    case absl::StatusCode::kDataLoss:
      return ErrorCode::kDataLoss;
    case absl::StatusCode::kUnimplemented:
      return ErrorCode::kUnimplemented;
    case absl::StatusCode::kCancelled:
      return ErrorCode::kCancelled;
    default:
      return ErrorCode::kInternal;
  }
}

}  // namespace

CallStatus ToCallStatus(const absl::Status& status) {
  if (status.ok()) return {};
  const std::string_view message = Message(status);
  // The lines behind the first one show where in a query the error is.
  return {CodeOf(status.code()), std::string(message.substr(0, message.find('\n')))};
}

}  // namespace pmdex
