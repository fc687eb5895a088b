#include "pmem/exhaustion.h"

#include <sys/resource.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"

#include "pmem/text.h"

namespace pmdex {
namespace {

constexpr char kPayload[] = "pmdex/resource";

std::string LimitText(int errno_value) {
  rlimit limit = {};
  if (errno_value == ENFILE) return " (the limit is the system's, fs.file-max)";
  if (errno_value != EMFILE || getrlimit(RLIMIT_NOFILE, &limit) != 0) return {};
  return absl::StrCat(" (the limit of this process is ", uint64_t{limit.rlim_cur}, ")");
}

}  // namespace

bool IsExhaustion(int errno_value) {
  return errno_value == EMFILE || errno_value == ENFILE || errno_value == ENOMEM;
}

absl::Status ExhaustionStatus(int errno_value, std::string_view what) {
  return Exhausted(errno_value == ENOMEM ? Resource::kMemory : Resource::kDescriptors,
                   absl::StrCat(ToAbsl(what), ": ", std::generic_category().message(errno_value),
                                LimitText(errno_value)));
}

absl::Status Exhausted(Resource resource, std::string_view message) {
  absl::Status status(absl::StatusCode::kResourceExhausted, ToAbsl(message));
  status.SetPayload(kPayload, absl::Cord(std::string(1, static_cast<char>(resource))));
  return status;
}

absl::Status OutOfMemory() {
  static const absl::Status* const status =
      new absl::Status(Exhausted(Resource::kMemory, "out of memory"));
  return *status;
}

Resource ExhaustedResource(const absl::Status& status) {
  if (!absl::IsResourceExhausted(status)) return Resource::kNone;
  const auto payload = status.GetPayload(kPayload);
  if (!payload.has_value()) return Resource::kSpace;
  return static_cast<Resource>(std::string(*payload)[0]);
}

}  // namespace pmdex
