// Starts threads and returns errors as a Status: when the system cannot start a thread, and when
// memory runs out while a thread works.
#pragma once

#include <cstddef>
#include <functional>
#include <thread>

#include "pmem/status.h"

namespace pmdex {

// Starts a thread that runs `body`. Requires that body throws no exception. Returns
// kResourceExhausted if the system cannot start another thread or has no memory for it.
absl::StatusOr<std::thread> StartThread(std::function<void()> body);

// Calls work(0) on the calling thread, and work(1) to work(threads - 1) on a thread each. If the
// system cannot start all threads, the other calls are left out; this is no error. The calls must
// therefore take their tasks from a common list. All threads have ended on return. Returns the
// first error that a call returned, or OutOfMemory() if memory ran out in one. Requires threads >
// 0.
absl::Status RunOnThreads(size_t threads, const std::function<absl::Status(size_t)>& work);

}  // namespace pmdex
