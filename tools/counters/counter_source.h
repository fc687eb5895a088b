// Where counts come from: the kernel (perf_counters.h), or a test that makes them up. A source
// opens a group of events for the calling thread; the group is then read around each query.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "pmem/status.h"
#include "tools/counters/event_table.h"

namespace pmdex {

// The times count from no certain moment: only the difference of two readings means something.
struct CounterReading {
  uint64_t enabled_ns = 0;
  uint64_t running_ns = 0;
  std::vector<uint64_t> counts;  // indexed like the events that were opened
};

// Counts from the moment when it was opened. For the thread that opened it.
class OpenCounters {
 public:
  virtual ~OpenCounters() = default;
  virtual absl::StatusOr<CounterReading> Read() = 0;
};

// Thread-safe: threads open their own groups.
class CounterSource {
 public:
  virtual ~CounterSource() = default;
  // Opens the events as one group for the calling thread, in user space only. Returns the error of
  // the first event that the source refuses, with its name.
  absl::StatusOr<std::unique_ptr<OpenCounters>> Open(std::span<const CounterEvent> events) {
    return OpenForThread(events, /*thread=*/0);
  }
  // The same for another thread of the system; 0: the calling one.
  virtual absl::StatusOr<std::unique_ptr<OpenCounters>> OpenForThread(
      std::span<const CounterEvent> events, int thread) = 0;
};

}  // namespace pmdex
