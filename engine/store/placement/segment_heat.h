// Counts the queries that search each segment of a snapshot. A writer saves the counts in the
// manifest, so that rarely searched segments can go to the compressed tier. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>

#include "engine/store/manifest.h"

namespace pmdex {

class SegmentHeat {
 public:
  // Counts for the segments that the manifest lists.
  explicit SegmentHeat(const Manifest& manifest) {
    for (const ManifestSegment& segment : manifest.segments) counts_[segment.id] = 0;
  }

  // Says that a query searched a segment. Ids that the manifest does not list count for nothing.
  void Count(uint64_t segment_id) {
    const auto found = counts_.find(segment_id);
    if (found != counts_.end()) found->second.fetch_add(1, std::memory_order_relaxed);
  }

  // The counts since the last call, keyed by segment id; none for segments that were not searched.
  std::map<uint64_t, uint64_t> Take() {
    std::map<uint64_t, uint64_t> taken;
    for (auto& [id, count] : counts_) {
      const uint64_t queries = count.exchange(0, std::memory_order_relaxed);
      if (queries > 0) taken[id] = queries;
    }
    return taken;
  }

 private:
  std::map<uint64_t, std::atomic<uint64_t>> counts_;  // its keys never change
};

}  // namespace pmdex
