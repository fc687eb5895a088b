// Threads whose failures are a Status: one that the system does not start, and memory that runs out
// while one works.
#pragma once

#include <cstddef>
#include <functional>
#include <thread>

#include "pmem/status.h"

namespace pmdex {

// A thread that runs `body`, which must let no exception out. kResourceExhausted when the system
// starts no more threads or has no memory for one.
absl::StatusOr<std::thread> StartThread(std::function<void()> body);

// Calls work(0) on the calling thread, and work(1) to work(threads - 1) each on a thread of its
// own, as far as the system starts them: work must take what there is to do from a common list, so
// that fewer threads do all of it. All have ended on return. Returns the first error that a call of
// work returned, or OutOfMemory() where memory ran out in one; a thread that was not started is no
// error. Requires threads > 0.
absl::Status RunOnThreads(size_t threads, const std::function<absl::Status(size_t)>& work);

}  // namespace pmdex
