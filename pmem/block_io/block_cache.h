// Keeps blocks of files in a bounded part of memory, read past the page cache, so that an index
// that is larger than memory has a latency that does not depend on what the kernel chose to drop.
// A reader pins a range of a file, uses its bytes, and unpins it by destroying the pin. Blocks that
// are missing are read together (ReadQueue). The victim of a miss is chosen by the CLOCK algorithm
// (Corbato, "A paging experiment with the Multics system", 1968).
//
// Thread-safe. Two threads that miss the same block read it once. Frames are spread over shards by
// the hash of file and block, each with a mutex, so that threads seldom wait for each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "pmem/block_io/read_queue.h"
#include "pmem/block_io/uncached_file.h"
#include "pmem/huge_buffer.h"
#include "pmem/latency_histogram.h"
#include "pmem/status.h"

namespace pmdex {

inline constexpr size_t kCacheBlockBytes = 4096;

struct BlockCacheCounters {
  uint64_t hits = 0;       // pinned blocks that were there, or on their way for another thread
  uint64_t misses = 0;     // blocks that were read; pinning a fetched one is no hit the first time
  uint64_t overflows = 0;  // misses that found every frame pinned and got memory of their own
  uint64_t bytes_read = 0;
  uint64_t errors = 0;  // reads that failed
};

class BlockCache {
  struct Shard;
  struct Frame;

 public:
  // The blocks of one range. They stay in memory as long as the pin lives. Movable; belongs to one
  // thread at a time. Must not outlive the cache.
  class Pin {
   public:
    Pin() = default;
    ~Pin() { Release(); }
    Pin(Pin&& other) noexcept;
    Pin& operator=(Pin&& other) noexcept;

    // The byte at `offset` of the file, which must lie in the range. The bytes after it are there
    // as far as its block of kCacheBlockBytes reaches.
    const std::byte* At(uint64_t offset) const {
      return blocks_[offset / kCacheBlockBytes - first_block_].bytes + offset % kCacheBlockBytes;
    }

   private:
    friend class BlockCache;
    struct Block {
      const std::byte* bytes = nullptr;
      Shard* shard = nullptr;  // none: `own` holds the bytes
      Frame* frame = nullptr;
      size_t valid_bytes = 0;  // fewer than a block at the end of the file
      HugeBuffer own;
    };

    void Release();

    uint64_t first_block_ = 0;
    std::vector<Block> blocks_;
  };

  // `capacity_bytes` of blocks, at least one block a shard. Throws std::bad_alloc if there is no
  // memory.
  BlockCache(size_t capacity_bytes, ReadQueue::Method method);
  ~BlockCache();
  BlockCache(const BlockCache&) = delete;
  BlockCache& operator=(const BlockCache&) = delete;

  // A range of a file, for Fetch.
  struct Range {
    const UncachedFile* file = nullptr;
    uint64_t offset = 0;
    uint64_t size_bytes = 0;
  };
  // Reads the missing blocks of all ranges together and waits for them, so that a caller who then
  // pins one range after the other does not wait for each. Leaves out what would take more than a
  // quarter of the cache. Reports no errors: PinRange meets them again.
  void Fetch(std::span<const Range> ranges);
  // Pins [offset, offset + size_bytes), which must not be empty. kDataLoss if the file is shorter;
  // an error of reading is that of the kernel.
  absl::StatusOr<Pin> PinRange(const UncachedFile& file, uint64_t offset, uint64_t size_bytes);

  BlockCacheCounters counters() const;
  // How long each call of Fetch or PinRange waited that read blocks, or needed blocks that another
  // thread was reading.
  const LatencyHistogram& waits() const;
  size_t capacity_bytes() const;
  // How blocks are read: kPread where the kernel refuses io_uring.
  ReadQueue::Method method() const;

 private:
  struct Parts;
  class PinAttempt;
  std::unique_ptr<Parts> parts_;
};

}  // namespace pmdex
