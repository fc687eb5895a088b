// Makes the bytes of one mapping durable, by non-temporal copy, flush and drain. There is one
// implementation for each store granularity of the medium.
//
//   BYTE        The CPU's caches survive a power cut (eADR): libpmem2, and flushes do nothing.
//   CACHE_LINE  DAX with MAP_SYNC (ADR): libpmem2, with CLWB and SFENCE.
//   PAGE        A page cache: page_persister.h, with write and the fsync of the file.
//
// A persister belongs to one mapping, and to one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "pmem/status.h"

namespace pmdex {

enum class StoreGranularity { kByte, kCacheLine, kPage };

std::string_view ToString(StoreGranularity granularity);  // "BYTE", "CACHE_LINE", "PAGE"

// How often each function was called. Tests check these counts; `info` and benches report them.
struct PersistCounters {
  uint64_t copied_bytes = 0;   // by CopyNonTemporal
  uint64_t flushed_bytes = 0;  // by FlushRange
  uint64_t flushes = 0;        // calls of FlushRange
  uint64_t drains = 0;         // calls of Drain
};

class Persister {
 public:
  virtual ~Persister() = default;

  // Copies to the mapping, past the caches if that is faster on the medium. Durable after Drain.
  // Requires that [dst, dst + source.size()) lies in the mapping. Fastest if dst is a multiple of
  // 64 and the size a multiple of 256 bytes.
  virtual void CopyNonTemporal(std::byte* dst, std::span<const std::byte> source) = 0;

  // Begins to write earlier stores to the range out of the CPU's caches. Durable after Drain.
  virtual void FlushRange(const std::byte* begin, size_t size_bytes) = 0;

  // Waits until all that was copied or flushed before is durable.
  virtual absl::Status Drain() = 0;

  virtual StoreGranularity granularity() const = 0;
  const PersistCounters& counters() const { return counters_; }

 protected:
  PersistCounters counters_;
};

}  // namespace pmdex
