// Measures the memory of this machine: the latency of dependent random loads, the time of a line
// of a sequential read, and the size at which the last-level cache ends. Medians of
// short pieces, so that other programs disturb little. For one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "pmem/status.h"

namespace pmdex {

struct MemoryTimes {
  double random_ns = 0;           // of a load that waits for the load before it
  double sequential_line_ns = 0;  // of 64 bytes that follow the 64 bytes before
};

// Of a buffer of this size, which is far larger than the caches. Pages are huge where the kernel
// gives huge ones. kResourceExhausted if there is no memory.
absl::StatusOr<MemoryTimes> MeasureMemory(uint64_t buffer_bytes = uint64_t{256} << 20);

// The latency of a chase through all lines of a buffer of this size.
absl::StatusOr<double> ChaseNs(uint64_t buffer_bytes);

// The size at which a chase becomes slow: the largest of the sizes whose latency is below the
// geometric mean of the smallest and the largest latency. What lscpu says of a virtual machine is
// the cache of the whole host. sizes: rising; ns: indexed like sizes.
uint64_t CacheKnee(const std::vector<uint64_t>& sizes, const std::vector<double>& ns);

// The same measured over 512 KiB, 1 MiB, ... 512 MiB.
absl::StatusOr<uint64_t> MeasureCacheKnee(
    const std::function<absl::StatusOr<double>(uint64_t)>& chase = ChaseNs);

// Writes back and drops the 64-byte lines at these addresses from all caches, and waits until that
// is done.
void DropLines(const std::vector<const void*>& lines);

}  // namespace pmdex
