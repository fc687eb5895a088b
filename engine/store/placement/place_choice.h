// Chooses the place of each new segment: the one with the fewest segments that are being written
// now, and of those the one with the fewest bytes. So the segments of one build, and the threads
// that write them, are spread over all places. Thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "absl/base/thread_annotations.h"

#include "engine/store/manifest.h"
#include "pmem/mutex.h"

namespace pmdex {

class PlaceChoice {
 public:
  // Chooses among these places from now on. Counts the segments that the manifests list.
  void Reset(std::span<const uint32_t> places, std::span<const ManifestSegment> segments)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // All places, the best one first.
  std::vector<uint32_t> Order() const ABSL_LOCKS_EXCLUDED(mutex_);

  // The bytes of the segments of the places that Order returns.
  uint64_t bytes() const ABSL_LOCKS_EXCLUDED(mutex_);

  // Says that a segment is being written to a place, and that it has been written with so many
  // bytes, or 0 after an error.
  void Begin(uint32_t place) ABSL_LOCKS_EXCLUDED(mutex_);
  void End(uint32_t place, uint64_t file_bytes) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Load {
    uint32_t writing = 0;
    uint64_t bytes = 0;
    bool chosen = false;  // Order returns the place
  };

  mutable Mutex mutex_;
  std::map<uint32_t, Load> loads_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace pmdex
