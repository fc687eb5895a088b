// Whether this process can count hardware events, and if not, why: what `profile` and `doctor` say.
// Thread-safe: no state; counts the calling thread alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace pmdex {

enum class PmuState {
  kWorks,
  kAbsent,         // the kernel knows no hardware events: most virtual machines
  kNotPermitted,   // perf_event_paranoid, or a sandbox's seccomp filter
  kCountsNothing,  // opens, but stays zero: a virtual PMU without a PMU behind it
  kUnsupported,    // perf_event_open refuses for another reason
};

struct PmuFacts {
  PmuState state = PmuState::kUnsupported;
  int error = 0;                          // errno of perf_event_open; 0: it opened
  std::optional<int64_t> paranoid_level;  // kernel.perf_event_paranoid
};

// Counts this thread's cycles in user space over a short loop.
PmuFacts ProbePmu(std::string_view root = "/");

// What the errno of a perf_event_open that failed means.
PmuState PmuStateOfErrno(int error);

}  // namespace pmdex
