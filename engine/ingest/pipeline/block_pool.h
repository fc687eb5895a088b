// The memory in which raw input goes from the readers to the indexers: a bounded number of blocks
// that are used again and again, and at most one oversize block, for a document that fits into no
// other.
//
// Each group of threads (node_groups.h) has blocks of its own, whose memory its readers touched
// first. A block goes back to its group, whichever thread had it.
//
// One thread at a time owns a block; destroying the BlockPtr gives the block back. The pool is
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

// Where the id and the text of a whole file lie in a block. Its entry (entry_facts.h) lies behind
// its id.
struct FileRecord {
  size_t id_begin = 0;
  size_t id_bytes = 0;
  size_t text_begin = 0;
  size_t text_bytes = 0;
  uint64_t input = 0;      // index of the input that the walk found the file in
  size_t entry_bytes = 0;  // 0: nothing is known of it but its text
  bool has_text = true;    // false: the document has attributes alone
};

struct Block {
  // Bytes behind the capacity that may be read, as simdjson does.
  static constexpr size_t kPaddingBytes = 64;

  char* bytes = nullptr;
  size_t capacity = 0;
  size_t group = 0;  // that the block belongs to
  size_t size = 0;
  size_t begin = 0;  // where the text begins: behind a byte order mark

  InputFormat format = InputFormat::kFiles;
  std::vector<FileRecord> files;  // the files in the block, if the format is kFiles
  // The other formats: the block holds whole records of this file, from this line on.
  std::shared_ptr<const std::string> path;
  uint64_t first_line = 1;
  int64_t mtime = 0;  // of the file, in nanoseconds since 1970 UTC
  // The time of the last line before the block that has one, if the build looks for times.
  std::optional<int64_t> time_before;
  uint64_t ordinal = 0;  // of the file in the walk
  // If the block is from standard input: how many blocks of it came before.
  std::optional<uint64_t> turn;
  DoneWork origin;  // the part of the input that is done once the documents are in a segment

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
  // block_counts: how many blocks each group may have. A group needs two for each of its readers.
  BlockPool(size_t block_bytes, const std::vector<size_t>& block_counts);
  BlockPool(size_t block_bytes, size_t block_count)
      : BlockPool(block_bytes, std::vector<size_t>{block_count}) {}
  ~BlockPool();
  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;

  size_t block_bytes() const { return block_bytes_; }

  // An empty block of the calling thread's group; waits until there is one. Null after Cancel, and
  // when the system has no memory.
  BlockPtr Acquire() ABSL_LOCKS_EXCLUDED(mutex_);
  // The oversize block, with this capacity; waits until it is free. The system provides its memory
  // only as far as it is touched. Null after Cancel, and when the system has no memory.
  BlockPtr AcquireOversize(size_t capacity) ABSL_LOCKS_EXCLUDED(mutex_);
  // Like AcquireOversize, but null instead of waiting while the block is in use.
  BlockPtr TryAcquireOversize(size_t capacity) ABSL_LOCKS_EXCLUDED(mutex_);
  // The answer may be outdated when it arrives.
  bool OversizeIsFree() ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(&mutex_);
    return !oversize_in_use_;
  }
  // Ends all waiting, now and later.
  void Cancel() ABSL_LOCKS_EXCLUDED(mutex_);

  // How long threads waited for blocks, all of them together.
  double wait_seconds() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  friend struct ReturnBlock;
  void Return(Block* block) ABSL_LOCKS_EXCLUDED(mutex_);
  // Requires that the caller has set oversize_in_use_.
  BlockPtr NewOversize(size_t capacity) ABSL_LOCKS_EXCLUDED(mutex_);
  struct GroupBlocks {
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
  std::vector<GroupBlocks> groups_ ABSL_GUARDED_BY(mutex_);  // by group
  bool oversize_in_use_ ABSL_GUARDED_BY(mutex_) = false;
  bool cancelled_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace pmdex
