// The stage behind the indexers: writer threads sort the terms of full memtables and write them as
// segments, while the indexers fill other memtables.
//
// Only memory bounds how far indexers run ahead. They reserve memory before a memtable takes it,
// and the flusher releases it when the segment is written, so a slow medium makes the indexers
// wait. The flusher keeps the chunks of a written memtable for new ones, but not the memtable.
//
// Thread-safe; outlives the indexers and the threads that call Run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"

#include "engine/ingest/pipeline/bounded_queue.h"
#include "engine/ingest/pipeline/group_queues.h"
#include "engine/ingest/pipeline/memory_budget.h"
#include "engine/ingest/pipeline/portion.h"
#include "engine/ingest/pipeline/queue_meter.h"
#include "engine/ingest/resume/checkpointer.h"
#include "engine/ingest/resume/done_work.h"
#include "engine/ingest/resume/input_order.h"
#include "engine/memtable/chunk_pool.h"
#include "engine/memtable/memtable.h"
#include "engine/store/index_writer.h"
#include "pmem/mutex.h"
#include "pmem/status.h"

namespace pmdex {

struct FullMemtable {
  std::unique_ptr<Memtable> memtable;
  size_t reserved_bytes = 0;
  std::shared_ptr<Portion> portion;  // that the memtable is a part of
  // True: the portion is committed once it is complete. False: it waits for the end of the build.
  bool commit = true;
  size_t group = 0;  // of the thread that filled it, in whose memory it lies (node_groups.h)
  std::vector<InputRun> runs = {};  // where its documents come from, if the build keeps that
};
inline size_t GroupOf(const FullMemtable& full) {
  return full.group;
}

class Flusher {
 public:
  // memory_bytes: what all memtables together may take, from their first document until their
  // segment is written.
  Flusher(size_t memory_bytes, size_t queue_capacity, Checkpointer& checkpointer,
          IndexWriter& writer)
      : checkpointer_(checkpointer),
        writer_(writer),
        memory_(memory_bytes),
        full_(queue_capacity) {}

  // For indexers. Reserve and Push wait for writers, and return false after Cancel.
  bool Reserve(size_t size_bytes) {
    const bool reserved = memory_.Reserve(size_bytes);
    chunks_.TrimTo(memory_.free_bytes());
    return reserved;
  }
  bool Push(FullMemtable full) { return full_.Push(std::move(full)); }
  void Release(size_t size_bytes) { memory_.Release(size_bytes); }
  // What is not reserved.
  size_t free_bytes() const { return memory_.free_bytes(); }

  // The chunks of written memtables, for new ones. Holds at most the memory that is not reserved.
  ChunkPool& chunks() { return chunks_; }

  // What a writer thread runs: writes memtables until Close or Cancel.
  absl::Status Run();
  // Says that no Push follows.
  void Close() { full_.Close(); }
  void Cancel();

  struct Totals {
    uint64_t segments = 0;
    uint64_t documents = 0;
    uint64_t bytes = 0;         // of segment files
    double commit_seconds = 0;  // that writers spent on checkpoints, waiting included
  };
  Totals totals() const ABSL_LOCKS_EXCLUDED(mutex_);
  QueueReport queue_report() const { return full_.report(); }
  // How long all indexers together waited for memory. queue_report() says how long they waited for
  // room in the queue.
  double memory_wait_seconds() const { return memory_.wait_seconds(); }

 private:
  absl::Status Write(FullMemtable full) ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status Commit(DoneWork work) ABSL_LOCKS_EXCLUDED(mutex_);

  Checkpointer& checkpointer_;
  IndexWriter& writer_;
  MemoryBudget memory_;
  ChunkPool chunks_;  // declared before the memtables, whose chunks go back to it
  BoundedQueue<FullMemtable, GroupQueues<FullMemtable>> full_;
  mutable Mutex mutex_;
  Totals totals_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace pmdex
