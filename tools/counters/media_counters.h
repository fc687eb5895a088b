// Counts what the memory controllers of all sockets read from and write to persistent memory, by
// the uncore counters of Intel's CPUs. It counts the whole machine, other programs included, and
// needs the right to do so. What the DIMMs do for it: dimm_counters.h. For one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "pmem/file_descriptor.h"
#include "pmem/status.h"
#include "tools/counters/event_table.h"
#include "tools/counters/perf_counters.h"

namespace pmdex {

struct MediaBytes {
  uint64_t read = 0;
  uint64_t written = 0;
};

class MediaCounters {
 public:
  // table: of this CPU. Devices are looked for in sysfs below the root. Returns kUnimplemented if
  // the CPU has no such counters, kNotFound if the kernel shows none, and the error of
  // perf_event_open (kPermissionDenied) if they may not be read.
  static absl::StatusOr<std::unique_ptr<MediaCounters>> Open(const EventTable& table,
                                                             const std::string& root = "/",
                                                             const OpenEvent& open = OpenPerfEvent);

  // Since the counters were opened. The controllers count lines of 64 bytes; a DIMM may write more
  // inside, in blocks of 256 bytes, which only its own counters know. Returns kNotFound if nothing
  // was counted, as on a machine without DIMMs of persistent memory, and kUnavailable if a counter
  // did not count all the time.
  absl::StatusOr<MediaBytes> Read() const;

 private:
  MediaCounters() = default;

  std::vector<FileDescriptor> reads_;  // one for each controller and socket
  std::vector<FileDescriptor> writes_;
};

}  // namespace pmdex
