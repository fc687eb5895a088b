// The priority of threads beside the event loops.
#pragma once

#include <sys/resource.h>
#include <unistd.h>

namespace pmdex {

// From now on the kernel prefers the threads of the event loops to the calling thread: a loop that
// has something to do takes its CPU at once. Nothing depends on it but how long requests wait, so
// that an error is none.
inline void LetLoopsGoAhead() {
  constexpr int kNice = 10;
  (void)setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNice);
}

}  // namespace pmdex
