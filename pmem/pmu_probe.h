// Finds out if this process can count hardware events, and why not, for `profile` and `doctor`. The
// probe counts events of the calling thread only. Thread-safe: no state.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace pmdex {

enum class PmuState {
  kWorks,
  kAbsent,         // the kernel knows no hardware events, as on most virtual machines
  kNotPermitted,   // perf_event_paranoid or the seccomp filter of a sandbox forbids it
  kCountsNothing,  // counters open but stay zero, as on virtual machines with an empty PMU
  kUnsupported,    // perf_event_open refuses for another reason
};

struct PmuFacts {
  PmuState state = PmuState::kUnsupported;
  int error = 0;                          // errno of perf_event_open; 0: it opened
  std::optional<int64_t> paranoid_level;  // kernel.perf_event_paranoid
};

// Counts this thread's cycles in user space over a short loop.
PmuFacts ProbePmu(std::string_view root = "/");

// The state that an errno of perf_event_open stands for.
PmuState PmuStateOfErrno(int error);

}  // namespace pmdex
