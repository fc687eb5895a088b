// Errors that files, media and users cause are an absl::Status with a message for a person.
//
// The codes mean: kNotFound: no such file or index. kAlreadyExists. kResourceExhausted: no space,
// memory, threads or descriptors left (exhaustion.h). kDataLoss: the bytes are not those that were
// written. kUnavailable: another writer holds the lock. kUnimplemented: a newer format, or not
// possible on this medium. kInvalidArgument: the caller's arguments are wrong. kInternal: any other
// errno.
#pragma once

#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace pmdex {

// A status with the message "WHAT: text of the errno" and the code for errno_value.
absl::Status ErrnoStatus(int errno_value, std::string_view what);

// absl::Status takes no std::string_view; this function does.
absl::Status MakeStatus(absl::StatusCode code, std::string_view message);
inline absl::Status DataLoss(std::string_view message) {
  return MakeStatus(absl::StatusCode::kDataLoss, message);
}
inline absl::Status InvalidArgument(std::string_view message) {
  return MakeStatus(absl::StatusCode::kInvalidArgument, message);
}

// The message of the status; valid as long as the status.
std::string_view Message(const absl::Status& status);

}  // namespace pmdex

#define PMDEX_CONCAT_INNER(a, b) a##b
#define PMDEX_CONCAT(a, b) PMDEX_CONCAT_INNER(a, b)

// Returns from the enclosing function when the expression is not OK.
#define PMDEX_RETURN_IF_ERROR(expression)                                                  \
  do {                                                                                     \
    if (absl::Status pmdex_status = (expression); !pmdex_status.ok()) return pmdex_status; \
  } while (false)

// PMDEX_ASSIGN_OR_RETURN(auto value, MakeValue());
#define PMDEX_ASSIGN_OR_RETURN(declaration, expression) \
  PMDEX_ASSIGN_OR_RETURN_IMPL(PMDEX_CONCAT(pmdex_result_, __LINE__), declaration, expression)
#define PMDEX_ASSIGN_OR_RETURN_IMPL(result, declaration, expression) \
  auto result = (expression);                                        \
  if (!result.ok()) return std::move(result).status();               \
  declaration = std::move(result).value()
