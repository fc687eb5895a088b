// The documents of one window (window_bits.h) that collectors get at a time, each with the bucket
// that it is in. A plain view.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace pmdex {

struct DocBatch {
  uint32_t window = 0;
  // Numbers of documents in the window, ascending. A document that is in several buckets is there
  // several times.
  std::span<const uint16_t> docs;
  // The buckets of the collector above, indexed like docs; empty: all are in bucket 0.
  std::span<const uint32_t> buckets;

  uint32_t BucketOf(size_t i) const { return buckets.empty() ? 0 : buckets[i]; }
};

}  // namespace pmdex
