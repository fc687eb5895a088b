// Errors that say that this process or this machine has too little of something: descriptors,
// memory, threads, space. They are never the fault of a file that was to be read, so whoever meets
// one ends its work with it instead of counting the file as unreadable.
//
// All of them are kResourceExhausted; which resource it was travels in the status, so that the
// command line can say what helps. Pure functions; thread-safe.
#pragma once

#include <new>
#include <string_view>

#include "absl/status/status.h"

namespace pmdex {

enum class Resource { kNone, kSpace, kDescriptors, kMemory, kThreads };

// True for EMFILE, ENFILE and ENOMEM: what a system call says that did not get to look at the file.
bool IsExhaustion(int errno_value);
// "WHAT: reason of errno", with the limit behind it where it is one of this process or of the
// system. Requires IsExhaustion(errno_value).
absl::Status ExhaustionStatus(int errno_value, std::string_view what);

// kResourceExhausted, of the given resource.
absl::Status Exhausted(Resource resource, std::string_view message);
// The one for memory that ran out. It is made once and allocates nothing after the first call: code
// that may have to return it calls it once before.
absl::Status OutOfMemory();

// Of a kResourceExhausted status; kSpace where the status does not say. kNone of any other status.
Resource ExhaustedResource(const absl::Status& status);

// What work() returns; OutOfMemory() where it throws std::bad_alloc, which no thread may leave.
template <typename Work>
absl::Status CatchOutOfMemory(const Work& work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return OutOfMemory();
  }
}

}  // namespace pmdex
