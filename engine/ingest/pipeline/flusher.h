// The stage behind the indexers: full memtables become segments, in threads of their own, while the
// indexers go on with other memtables. Sorting the terms is a part of it.
//
// How far indexers run ahead is a matter of memory alone: what a memtable may take is reserved
// before it is taken, and comes back when its segment is written, so a medium that is too slow
// makes the indexers wait. A memtable is not kept, because which size the next one will have, and
// whose, is not known; its chunks of memory are.
//
// Thread-safe; outlives the indexers and the threads that call Run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/base/thread_annotations.h"

#include "engine/ingest/pipeline/bounded_queue.h"
#include "engine/ingest/pipeline/group_queues.h"
#include "engine/ingest/pipeline/memory_budget.h"
#include "engine/ingest/pipeline/portion.h"
#include "engine/ingest/resume/checkpointer.h"
#include "engine/memtable/memtable.h"
#include "engine/store/index_writer.h"
#include "pmem/mutex.h"
#include "pmem/status.h"

namespace pmdex {

struct FullMemtable {
  std::unique_ptr<Memtable> memtable;
  size_t reserved_bytes = 0;
  std::shared_ptr<Portion> portion;  // that the memtable was added to
  bool commit = true;  // the portion once it is whole; otherwise it waits for the end of the build
  size_t group = 0;    // that filled it, and whose memory it is in (node_groups.h)
};
inline size_t GroupOf(const FullMemtable& full) {
  return full.group;
}

class Flusher {
 public:
  // memory_bytes: of all memtables together, filling, waiting and being written.
  Flusher(size_t memory_bytes, size_t queue_capacity, Checkpointer& checkpointer,
          IndexWriter& writer)
      : checkpointer_(checkpointer),
        writer_(writer),
        memory_(memory_bytes),
        full_(queue_capacity) {}

  // For indexers. Both wait for writers, and return false after Cancel.
  bool Reserve(size_t size_bytes) {
    const bool reserved = memory_.Reserve(size_bytes);
    chunks_.TrimTo(memory_.free_bytes());
    return reserved;
  }
  bool Push(FullMemtable full) { return full_.Push(std::move(full)); }
  void Release(size_t size_bytes) { memory_.Release(size_bytes); }

  // Of dead memtables, for new ones. Never holds more than what nobody has reserved.
  ChunkPool& chunks() { return chunks_; }

  // A writer thread: writes what is pushed until Close or Cancel.
  absl::Status Run();
  // No Push follows.
  void Close() { full_.Close(); }
  void Cancel();

  struct Totals {
    uint64_t segments = 0;
    uint64_t bytes = 0;         // of segment files
    double commit_seconds = 0;  // that writers spent on checkpoints, waiting for one another too
  };
  Totals totals() const ABSL_LOCKS_EXCLUDED(mutex_);
  QueueReport queue_report() const { return full_.report(); }
  // Of all indexers together, for memory; what they wait for room in the queue is in its report.
  double memory_wait_seconds() const { return memory_.wait_seconds(); }

 private:
  absl::Status Write(FullMemtable full) ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status Commit(DoneWork work) ABSL_LOCKS_EXCLUDED(mutex_);

  Checkpointer& checkpointer_;
  IndexWriter& writer_;
  MemoryBudget memory_;
  ChunkPool chunks_;  // before the memtables that give back to it
  BoundedQueue<FullMemtable, GroupQueues<FullMemtable>> full_;
  mutable Mutex mutex_;
  Totals totals_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace pmdex
