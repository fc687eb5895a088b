// The memory that raw input travels in: a bounded number of recycled blocks from the readers to the
// indexers, and at most one oversize block for a document that fits into none of them.
//
// Each group of threads (node_groups.h) has blocks of its own, whose memory its readers touched
// first: they come back to that group whoever was given them.
//
// A block is owned by one thread at a time and given back by destroying its BlockPtr. The pool is
// thread-safe and outlives its blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"

#include "engine/ingest/ingest_options.h"
#include "engine/ingest/pipeline/queue_meter.h"
#include "engine/ingest/resume/done_work.h"
#include "pmem/mutex.h"

namespace pmdex {

// A whole file inside a block: its id and its text.
struct FileRecord {
  size_t id_begin = 0;
  size_t id_bytes = 0;
  size_t text_begin = 0;
  size_t text_bytes = 0;
};

struct Block {
  // Readable bytes behind the capacity, for simdjson.
  static constexpr size_t kPaddingBytes = 64;

  char* bytes = nullptr;
  size_t capacity = 0;
  size_t group = 0;  // whose block it is
  size_t size = 0;
  size_t begin = 0;  // of the text in it: behind a byte order mark

  InputFormat format = InputFormat::kFiles;
  std::vector<FileRecord> files;            // kFiles: any number
  std::shared_ptr<const std::string> path;  // other formats: whole records of this input,
  uint64_t first_line = 1;                  // from this line on
  std::optional<uint64_t> turn;             // of standard input: how many blocks came before
  DoneWork origin;  // what of the input is done once these documents are in a segment

  std::string_view text() const { return {bytes + begin, size - begin}; }
  size_t room() const { return capacity - size; }
};

class BlockPool;
struct ReturnBlock {
  BlockPool* pool = nullptr;
  void operator()(Block* block) const;
};
using BlockPtr = std::unique_ptr<Block, ReturnBlock>;
inline size_t GroupOf(const BlockPtr& block) {
  return block->group;
}

class BlockPool {
 public:
  // As many blocks as each group may have; every group with readers needs two for each of them.
  BlockPool(size_t block_bytes, const std::vector<size_t>& block_counts);
  BlockPool(size_t block_bytes, size_t block_count)
      : BlockPool(block_bytes, std::vector<size_t>{block_count}) {}
  ~BlockPool();
  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;

  size_t block_bytes() const { return block_bytes_; }

  // An empty block of the calling thread's group; waits for one to come back. Null after Cancel.
  BlockPtr Acquire() ABSL_LOCKS_EXCLUDED(mutex_);
  // The oversize block, with this capacity; waits until it is free. Memory that is never touched is
  // never taken. Null after Cancel, and when the system has no memory.
  BlockPtr AcquireOversize(size_t capacity) ABSL_LOCKS_EXCLUDED(mutex_);
  // The same without waiting: null when it is in use, too.
  BlockPtr TryAcquireOversize(size_t capacity) ABSL_LOCKS_EXCLUDED(mutex_);
  // A moment's view.
  bool OversizeIsFree() ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(&mutex_);
    return !oversize_in_use_;
  }
  // Nobody waits any more.
  void Cancel() ABSL_LOCKS_EXCLUDED(mutex_);

  // How long threads waited for blocks, all of them together.
  double wait_seconds() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  friend struct ReturnBlock;
  void Return(Block* block) ABSL_LOCKS_EXCLUDED(mutex_);
  // By who has set oversize_in_use_.
  BlockPtr NewOversize(size_t capacity) ABSL_LOCKS_EXCLUDED(mutex_);
  struct Home {
    size_t block_count = 0;
    size_t made = 0;
    std::vector<Block*> free;
  };
  struct Request;
  bool MayAcquireOversize() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return cancelled_ || !oversize_in_use_;
  }

  const size_t block_bytes_;
  mutable Mutex mutex_;
  StageClock::duration waited_ ABSL_GUARDED_BY(mutex_){0};
  std::vector<Home> homes_ ABSL_GUARDED_BY(mutex_);  // by group
  bool oversize_in_use_ ABSL_GUARDED_BY(mutex_) = false;
  bool cancelled_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace pmdex
