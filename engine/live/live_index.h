// An index that a program writes and searches at the same time. A document is in every snapshot
// that is taken after Add has returned, and durable once Commit has returned.
//
//   Add -> kept document, and memtable of the next commit
//   TakeSnapshot -> the documents since the last one become a small segment in DRAM
//   a thread of the index -> merges small segments in DRAM, so that their number stays small
//   Commit -> the memtable becomes a segment on the medium, and a generation is published
//
// Readers search immutable segments, so they take no lock and never wait for the writer. Taking a
// snapshot waits only if there are new documents.
//
// Thread-safe: any thread may call any function at any time. One LiveIndex holds the writer lock of
// the index as long as it lives. Documents that were not committed are gone with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"

#include "engine/live/added_document.h"
#include "engine/live/dram_segment_builder.h"
#include "engine/live/dram_segments.h"
#include "engine/segment/live_docs.h"
#include "engine/segment/segment.h"
#include "engine/store/index_writer.h"
#include "engine/store/manifest.h"
#include "engine/store/snapshot.h"
#include "pmem/directory.h"
#include "pmem/mutex.h"
#include "pmem/status.h"

namespace pmdex {

struct LiveOptions {
  bool create = false;  // makes an index, durably, if the directory has none
  // Of the index that is made. An index that is there must have these settings; without them it may
  // have any.
  std::optional<IndexSettings> settings;
  // The analyzer of an index with AnalyzerKind::kCustom, which must have been made with this name.
  CustomAnalyzer custom;
  // Once there are so many bytes of documents in memory, Add writes them to the medium. They are
  // durable after Commit only. More than 2 GiB count as 2 GiB.
  size_t memory_budget_bytes = size_t{256} << 20;
};

class LiveIndex {
 public:
  // The directory must outlive the index, and snapshots may outlive both. Returns kNotFound if
  // there is no index, kUnavailable if there is another writer, kFailedPrecondition if the settings
  // differ or a build is unfinished, and kDataLoss if a segment is damaged.
  static absl::StatusOr<std::unique_ptr<LiveIndex>> Open(Directory& directory,
                                                         const LiveOptions& options);
  ~LiveIndex();

  const IndexSettings& settings() const { return settings_; }

  // Adds a document. Documents with the same id are all kept. A field that is new gets the type of
  // its first value. Returns kInvalidArgument if no segment can hold the document, or if a value
  // has another type than its field. If the memory budget is used up, Add first writes a segment,
  // and returns its error if that fails. After an error the document is not added.
  absl::Status Add(AddedDocument document);
  // Makes the documents of all calls of Add that have returned durable, and visible to other
  // processes. Calls at the same time share one commit. After an error of writing a segment the
  // documents are still in memory, and the next call tries again. After an error of publishing
  // (IndexWriter::Publish) all further calls return that error.
  absl::Status Commit();
  // All documents of the calls of Add that have returned before. The same snapshot as before if
  // there are no new ones. Returns kResourceExhausted without memory.
  absl::StatusOr<std::shared_ptr<const Snapshot>> TakeSnapshot();

  // How many small segments in DRAM a snapshot has.
  size_t dram_segment_count() const;
  size_t memory_bytes() const;

 private:
  LiveIndex(std::unique_ptr<IndexWriter> writer, const std::shared_ptr<const Snapshot>& published,
            const LiveOptions& options);
  absl::Status Start();
  absl::Status MakeRoom();

  // Makes a segment in DRAM of the oldest documents that have none.
  absl::Status FreezeSome() ABSL_EXCLUSIVE_LOCKS_REQUIRED(freeze_mutex_);
  // Merges once, if there is something to merge.
  absl::StatusOr<bool> MergeSegments() ABSL_LOCKS_EXCLUDED(merge_mutex_);
  void Work();  // the thread
  bool HasWork() const ABSL_NO_THREAD_SAFETY_ANALYSIS { return work_ || stop_; }
  void CallWorker();

  struct Cut;
  Cut TakeCut() ABSL_EXCLUSIVE_LOCKS_REQUIRED(commit_mutex_);
  // Writes the documents that are not on the medium to a segment there.
  absl::StatusOr<uint64_t> WriteDocuments() ABSL_EXCLUSIVE_LOCKS_REQUIRED(commit_mutex_);
  void UpdateSnapshot() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  size_t MemoryBytes() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // True if so many documents have no segment that one on the medium is better than one in DRAM.
  bool HasManyUnfrozenLocked() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool HasManyUnfrozen() const;

  const IndexSettings settings_;
  const size_t memory_budget_bytes_;
  DramSegmentBuilder builder_;

  // Locks are taken in this order: commit, merge, freeze, add, mutex_.
  Mutex commit_mutex_;
  const std::unique_ptr<IndexWriter> writer_ ABSL_PT_GUARDED_BY(commit_mutex_);
  uint64_t durable_ ABSL_GUARDED_BY(commit_mutex_) = 0;  // documents below it are
  // A segment that was written and could not be opened, and where its documents end.
  struct UnopenedSegment {
    uint64_t segment_id = 0;
    uint64_t end = 0;
  };
  std::optional<UnopenedSegment> unopened_ ABSL_GUARDED_BY(commit_mutex_);
  Mutex merge_mutex_;
  Mutex freeze_mutex_;
  Mutex add_mutex_;
  // The documents since gathered_begin_, for the next commit; nullptr if there are none.
  std::unique_ptr<DramMemtable> gathered_ ABSL_GUARDED_BY(add_mutex_);
  uint64_t gathered_begin_ ABSL_GUARDED_BY(add_mutex_) = 0;
  FieldSpecs fields_ ABSL_GUARDED_BY(add_mutex_);  // of all documents so far

  mutable Mutex mutex_;
  AddedDocuments documents_ ABSL_GUARDED_BY(mutex_);
  size_t gathered_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  // Documents below written_ are on the medium, those below frozen_ there or in dram_. No segment
  // of dram_ has documents on both sides of barrier_, where the segment ends that is being written.
  uint64_t written_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t barrier_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t frozen_ ABSL_GUARDED_BY(mutex_) = 0;
  bool has_readers_ ABSL_GUARDED_BY(mutex_) = false;  // snapshots were taken since the last write
  std::vector<std::shared_ptr<const Segment>> segments_ ABSL_GUARDED_BY(mutex_);  // on the medium
  // Of those segments that the index had when it was opened; nullptr where all documents are live.
  std::vector<std::shared_ptr<const LiveDocs>> live_docs_ ABSL_GUARDED_BY(mutex_);
  DramSegments dram_ ABSL_GUARDED_BY(mutex_);
  std::shared_ptr<const Snapshot> snapshot_ ABSL_GUARDED_BY(mutex_);

  Mutex work_mutex_;
  bool work_ ABSL_GUARDED_BY(work_mutex_) = false;
  bool stop_ ABSL_GUARDED_BY(work_mutex_) = false;
  std::thread worker_;
};

}  // namespace pmdex
