// How bytes become durable on one mapping: non-temporal copy, flush and drain, bound once by the
// store granularity that the medium reports.
//
//   BYTE        caches are in the power-fail domain (eADR): libpmem2's functions, flush is free
//   CACHE_LINE  DAX with MAP_SYNC (ADR): libpmem2's functions, CLWB and SFENCE
//   PAGE        page cache: our own path. libpmem2's would abort the process when msync fails; ours
//               remembers the dirty range and Drain() returns what msync said.
//
// A persister belongs to one mapping and one thread at a time.
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

// How often each verb was used; tests assert these, `info` and benches report them.
struct PersistCounters {
  uint64_t copied_bytes = 0;   // by CopyNonTemporal
  uint64_t flushed_bytes = 0;  // by FlushRange
  uint64_t flushes = 0;        // calls of FlushRange
  uint64_t drains = 0;         // calls of Drain
};

class Persister {
 public:
  virtual ~Persister() = default;

  // Copies to the mapping past the caches where the medium gains by it. Durable after Drain.
  // Requires: [dst, dst + source.size()) lies in the mapping. Fast when dst is 64 B aligned and the
  // size a multiple of 256.
  virtual void CopyNonTemporal(std::byte* dst, std::span<const std::byte> source) = 0;

  // Makes earlier ordinary stores to the range leave the CPU. Durable after Drain.
  virtual void FlushRange(const std::byte* begin, size_t size_bytes) = 0;

  // Waits until everything copied or flushed before is durable, as far as the medium can promise.
  virtual absl::Status Drain() = 0;

  virtual StoreGranularity granularity() const = 0;
  const PersistCounters& counters() const { return counters_; }

 protected:
  PersistCounters counters_;
};

}  // namespace pmdex
