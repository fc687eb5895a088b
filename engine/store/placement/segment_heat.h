// Counts the queries that search each segment of a snapshot. A writer saves the counts in the
// manifest, so that rarely searched segments can go to the compressed tier. Thread-safe.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "engine/store/manifest.h"

namespace pmdex {

class SegmentHeat {
 public:
  // Counts for the segments that the manifest lists.
  explicit SegmentHeat(const Manifest& manifest) : counts_(manifest.segments.size()) {
    for (const ManifestSegment& segment : manifest.segments) ids_.push_back(segment.id);
  }

  // Says that a query searched a segment. Requires an index into the segments of the manifest.
  void Count(size_t segment) { counts_[segment].fetch_add(1, std::memory_order_relaxed); }

  // The counts since the last call, keyed by segment id; none for segments that were not searched.
  std::map<uint64_t, uint64_t> Take() {
    std::map<uint64_t, uint64_t> taken;
    for (size_t i = 0; i < ids_.size(); ++i) {
      const uint64_t queries = counts_[i].exchange(0, std::memory_order_relaxed);
      if (queries > 0) taken[ids_[i]] = queries;
    }
    return taken;
  }

 private:
  std::vector<uint64_t> ids_;
  std::vector<std::atomic<uint64_t>> counts_;  // indexed like ids_
};

}  // namespace pmdex
