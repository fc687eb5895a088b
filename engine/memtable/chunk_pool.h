// Keeps the chunks of dead arenas for new ones, because the kernel need not zero memory again that
// was touched before. A chunk lies on the NUMA node of the thread that touched it first, so the
// pool keeps the chunks of each group of threads apart. The caller bounds what the pool holds
// (TrimTo). ChunkPreparer adds chunks before they are needed.
//
// Thread-safe; outlives the arenas that take from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/base/thread_annotations.h"

#include "pmem/huge_buffer.h"
#include "pmem/mutex.h"

namespace pmdex {

class ChunkPool {
 public:
  static constexpr size_t kChunkBytes = size_t{2} << 20;  // one huge page

  // A chunk of the group, with unspecified bytes. If the group has none, a new chunk of zeros.
  HugeBuffer Take(size_t group) ABSL_LOCKS_EXCLUDED(mutex_);
  // Requires kChunkBytes bytes.
  void Return(size_t group, HugeBuffer chunk) ABSL_LOCKS_EXCLUDED(mutex_);
  // Gives chunks back to the system until the pool holds at most this much.
  void TrimTo(size_t size_bytes) ABSL_LOCKS_EXCLUDED(mutex_);

  size_t held_bytes() const ABSL_LOCKS_EXCLUDED(mutex_);
  // How many chunks it holds for the group, and how many the group has taken so far.
  size_t held(size_t group) const ABSL_LOCKS_EXCLUDED(mutex_);
  uint64_t taken(size_t group) const ABSL_LOCKS_EXCLUDED(mutex_);

  // Waits until all groups together have taken more than `seen` chunks, and returns how many;
  // nullopt after EndWaiting. For one thread at a time.
  std::optional<uint64_t> AwaitTake(uint64_t seen) ABSL_LOCKS_EXCLUDED(mutex_);
  void EndWaiting() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Group {
    std::vector<HugeBuffer> chunks;
    uint64_t taken = 0;
  };
  bool HasNews() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return ended_ || taken_ > seen_; }

  mutable Mutex mutex_;
  std::vector<Group> groups_ ABSL_GUARDED_BY(mutex_);
  size_t held_ ABSL_GUARDED_BY(mutex_) = 0;     // chunks
  uint64_t taken_ ABSL_GUARDED_BY(mutex_) = 0;  // chunks, by all groups
  uint64_t seen_ ABSL_GUARDED_BY(mutex_) = 0;   // by the thread that waits
  bool ended_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace pmdex
