// Chunks of arenas between one memtable and the next: memory that was touched once need not be
// zeroed by the kernel again. In a lane for each group of threads (a NUMA node), because a chunk
// lies where it was touched first. What the pool holds is bounded from outside (TrimTo).
//
// Thread-safe; outlives the arenas that take from it.
#pragma once

#include <cstddef>
#include <vector>

#include "absl/base/thread_annotations.h"

#include "pmem/huge_buffer.h"
#include "pmem/mutex.h"

namespace pmdex {

class ChunkPool {
 public:
  static constexpr size_t kChunkBytes = size_t{2} << 20;  // one huge page

  // A chunk of the lane, its bytes unspecified; a new one, zeros, when the lane has none.
  HugeBuffer Take(size_t lane) ABSL_LOCKS_EXCLUDED(mutex_);
  void Return(size_t lane, HugeBuffer chunk) ABSL_LOCKS_EXCLUDED(mutex_);
  // Gives chunks back to the system until at most this much is held.
  void TrimTo(size_t size_bytes) ABSL_LOCKS_EXCLUDED(mutex_);

  size_t held_bytes() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  mutable Mutex mutex_;
  std::vector<std::vector<HugeBuffer>> lanes_ ABSL_GUARDED_BY(mutex_);
  size_t held_ ABSL_GUARDED_BY(mutex_) = 0;  // chunks
};

}  // namespace pmdex
