// What the DIMMs of Intel Optane count of themselves: what they read from and write to their media,
// and what they are asked to. Intel's program ipmctl prints it where it is installed, to root. The
// DIMMs count all programs of the machine. For `pmdex index --profile`. For one thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "pmem/status.h"

namespace pmdex {

// Of one DIMM since its power came on, in lines of 64 bytes, under the names that the manual page
// ipmctl-show-performance(1) has. The media have blocks of 256 bytes: four lines each.
struct DimmCounts {
  uint64_t media_reads = 0;  // counts the writes, too; see BytesBetween
  uint64_t media_writes = 0;
  uint64_t read_requests = 0;  // what the memory controller asked for
  uint64_t write_requests = 0;

  bool operator==(const DimmCounts&) const = default;
};

using DimmReading = std::map<std::string, DimmCounts, std::less<>>;  // by DimmID

// Of all DIMMs together, between two readings.
struct DimmBytes {
  size_t dimms = 0;
  std::optional<uint64_t> media_read;  // absent: the counts contradict themselves
  uint64_t media_written = 0;
  uint64_t requested_reads = 0;
  uint64_t requested_writes = 0;
};

// The output of `ipmctl show -performance`. Lines that it does not know are passed over. Returns
// kNotFound if it lists no DIMM, and kInvalidArgument if a DIMM lacks a count or is listed twice,
// or a count is no number.
absl::StatusOr<DimmReading> ParseDimmCounters(std::string_view text);

// `MediaReads` counts what is read and what is written, so that Intel's PMWatch takes the writes
// off (src/pmw_collect.c of intel/intel-pmwatch), and so does this. Returns kFailedPrecondition if
// the readings are not of the same DIMMs, or a count has fallen.
absl::StatusOr<DimmBytes> BytesBetween(const DimmReading& before, const DimmReading& after);

class DimmCounters {
 public:
  static constexpr std::chrono::seconds kTimeLimit{10};

  // Reads the counters for the first time. Returns kNotFound if ipmctl is not in PATH or sees no
  // DIMM, kUnavailable with its words if it fails, kDeadlineExceeded if it takes longer than the
  // limit, and the errors of ParseDimmCounters.
  static absl::StatusOr<DimmCounters> Open(std::chrono::seconds time_limit = kTimeLimit);

  // Reads them again: what the DIMMs did since Open.
  absl::StatusOr<DimmBytes> Read() const;

 private:
  DimmCounters(std::chrono::seconds time_limit, DimmReading begin)
      : time_limit_(time_limit), begin_(std::move(begin)) {}

  std::chrono::seconds time_limit_;
  DimmReading begin_;
};

}  // namespace pmdex
