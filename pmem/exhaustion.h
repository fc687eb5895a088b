// Errors that say that this process or this machine has run out of a resource: descriptors, memory,
// threads or space. A caller that reads a file and meets such an error returns it, and does not
// count the file as unreadable.
//
// All these errors are kResourceExhausted. The status also carries the resource, so that the
// command line can tell the user what helps. Pure functions; thread-safe.
#pragma once

#include <new>
#include <string_view>

#include "absl/status/status.h"

namespace pmdex {

enum class Resource { kNone, kSpace, kDescriptors, kMemory, kThreads };

// True for EMFILE, ENFILE and ENOMEM.
bool IsExhaustion(int errno_value);
// A status with the message "WHAT: text of the errno" and, if a limit was reached, that limit.
// Requires IsExhaustion(errno_value).
absl::Status ExhaustionStatus(int errno_value, std::string_view what);

// A kResourceExhausted status that carries the resource.
absl::Status Exhausted(Resource resource, std::string_view message);
// The status for Resource::kMemory. The first call allocates it; later calls allocate nothing. Code
// that may have to return it therefore calls this function once while there is memory.
absl::Status OutOfMemory();

// The resource that a kResourceExhausted status carries, or kSpace if it carries none. kNone for
// any other status.
Resource ExhaustedResource(const absl::Status& status);

// Returns the result of work(), or OutOfMemory() if work() throws std::bad_alloc.
template <typename Work>
absl::Status CatchOutOfMemory(const Work& work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return OutOfMemory();
  }
}

}  // namespace pmdex
