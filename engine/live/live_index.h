// An index that a program writes and searches at the same time. Writes are Add, Put and Delete. A
// write is in every snapshot that is taken after it has returned, and durable once Commit has
// returned.
//
//   Add, Put -> kept document, and memtable of the next commit
//   Put, Delete -> log of deletions
//   TakeSnapshot -> the documents since the last one become a small segment in DRAM
//   a thread of the index -> merges small segments in DRAM, so that their number stays small
//   Commit -> the memtable becomes a segment on the medium, and a generation is published
//
// All writes are in one order. A snapshot, and what is durable, is always the writes up to one of
// them: of a document that Put replaces, either the old one is there or the new one.
//
// Readers search immutable segments, so they take no lock and never wait for the writer. Taking a
// snapshot waits only if there are new writes.
//
// Thread-safe: any thread may call any function at any time. One LiveIndex holds the writer lock of
// the index as long as it lives. Writes that were not committed are gone with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"

#include "engine/live/added_document.h"
#include "engine/live/deletion_log.h"
#include "engine/live/dram_segment_builder.h"
#include "engine/live/dram_segments.h"
#include "engine/live/id_tables.h"
#include "engine/live/medium_segments.h"
#include "engine/live/write_condition.h"
#include "engine/live/write_history.h"
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
  // Properties of the manifest of the index that is made.
  std::map<std::string, std::string> properties;
  // The analyzer of an index with AnalyzerKind::kCustom, which must have been made with this name.
  CustomAnalyzer custom;
  // Once there are so many bytes of documents in memory, Add writes them to the medium. They are
  // durable after Commit only. More than 2 GiB count as 2 GiB.
  size_t memory_budget_bytes = size_t{256} << 20;
  // What the LiveIndex before in this process knew (LiveIndex::History): documents keep their
  // sequences, and the term goes on. Without effect if the index has another generation by now.
  std::shared_ptr<const WriteHistory> history = nullptr;
};

// The latest document with an id, in a snapshot in which it is live.
struct FoundDocument {
  std::shared_ptr<const Snapshot> snapshot;
  uint64_t doc = 0;        // its number in index order in the snapshot
  WriteSequence sequence;  // of the write that added it
};

struct ShownWrites {
  std::shared_ptr<const Snapshot> snapshot;
  uint64_t end = 0;  // the snapshot has the writes below it, and no others
};

class LiveIndex {
 public:
  // The directory must outlive the index, and snapshots may outlive both. Returns kNotFound if
  // there is no index, kUnavailable if there is another writer, kFailedPrecondition if the settings
  // differ or a build is unfinished, and kDataLoss if a segment is damaged and has no copy. Where
  // a kept copy answers for a segment, returns the errors that deletions from that segment would
  // have (IndexWriter::Delete). Publishes a generation with a new term (WriteSequence) unless a
  // history is given, and returns the errors of that.
  static absl::StatusOr<std::unique_ptr<LiveIndex>> Open(Directory& directory,
                                                         const LiveOptions& options);
  ~LiveIndex();

  const IndexSettings& settings() const { return settings_; }

  // Adds a document. Documents with the same id are all kept. A field that is new gets the type of
  // its first value. Returns kInvalidArgument if no segment can hold the document, or if a value
  // has another type than its field. If the memory budget is used up, Add first writes a segment,
  // and returns its error if that fails. After an error the document is not added.
  absl::Status Add(AddedDocument document);

  // The first call of one of the next three reads the ids of all documents, and each call those of
  // the segments that were written since the call before. The tables of ids stay in memory: 11 to
  // 22 bytes for each document, 8 more for those that this LiveIndex wrote. All three return
  // kDataLoss if a segment is damaged; it might have the id.
  //
  // Adds a document in the place of all documents with its id. Returns kAlreadyExists or kAborted
  // if the condition does not hold: absent or at. Other errors as Add. After an error nothing is
  // changed.
  absl::StatusOr<WriteResult> Put(AddedDocument document, const WriteCondition& condition = {});
  // Deletes all documents with this id. If there are none, `removed` is 0, and the call is a write
  // with a number of its own all the same, as in Elasticsearch. Returns kAborted if the condition
  // does not hold, and kInvalidArgument for the condition absent.
  absl::StatusOr<WriteResult> Delete(std::string_view id, const WriteCondition& condition = {});
  // The latest document with this id, with all writes that have returned before; nullopt if there
  // is none. Other errors as TakeSnapshot.
  absl::StatusOr<std::optional<FoundDocument>> FindDocument(std::string_view id);

  // Gives a property of the manifest a value. It is durable with the next commit, and no later than
  // any write that begins after this call has returned.
  void SetProperty(const std::string& name, std::string value);

  // Makes all writes that have returned durable, and visible to other processes. Calls at the same
  // time share one commit. After an error of writing a segment or a deletion the writes are still
  // in memory, and the next call tries again. After an error of publishing (IndexWriter::Publish)
  // all further calls return that error.
  absl::Status Commit();
  // Why the last commit left segments without kept copies (IndexWriter::KeepCopies); OK if it left
  // none. Callers tell the user.
  absl::Status missing_copies() const;
  // All writes that have returned before. The same snapshot as before if there are no new ones.
  // Otherwise the calling thread takes locks, makes a segment of the new documents in DRAM, and if
  // they are very many writes them to the medium, for which it may wait for a Commit.
  // Returns kResourceExhausted without memory.
  absl::StatusOr<std::shared_ptr<const Snapshot>> TakeSnapshot();
  // The newest snapshot that there is. It has all durable writes, and perhaps some that are not
  // durable yet. No segment in DRAM is made for it, now or later, so it costs nothing.
  ShownWrites NewestSnapshot() const;

  // For the next LiveIndex of this process. nullptr if it would have more than `most_ids` ids, if
  // they cannot be read, or if a write is not durable. No write may be under way.
  std::shared_ptr<WriteHistory> History(size_t most_ids);
  // Gives the writer lock back. No write or Commit may be under way. Afterwards only FindDocument,
  // TakeSnapshot and the functions below may be called.
  void EndWriting();

  // How many small segments in DRAM a snapshot has.
  size_t dram_segment_count() const;
  size_t memory_bytes() const;

 private:
  // The property of the manifest with the number of the write that follows the durable ones.
  static constexpr char kNextWriteProperty[] = "live_next_write";

  // Where no document begins.
  static constexpr uint64_t kNothingGathered = UINT64_MAX;

  struct OpenedWriter {
    std::unique_ptr<IndexWriter> writer;
    WriteSequence opened;  // of the documents that are there, but for those in history
    uint64_t next = 0;     // the number of the first write
    std::shared_ptr<const WriteHistory> history;
  };
  static absl::StatusOr<OpenedWriter> OpenWriter(Directory& directory, const LiveOptions& options);

  LiveIndex(OpenedWriter opened, const std::shared_ptr<const Snapshot>& published,
            const LiveOptions& options);
  absl::Status Start();
  absl::Status MakeRoom();

  // The documents with an id that are not deleted.
  struct Present {
    std::vector<uint64_t> numbers;          // ascending
    std::optional<WriteSequence> sequence;  // of the last one
  };
  absl::StatusOr<Present> FindPresent(std::string_view id)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(add_mutex_);
  // Makes the tables of ids that are missing. Returns true if there were any.
  absl::StatusOr<bool> FollowSegments() ABSL_EXCLUSIVE_LOCKS_REQUIRED(add_mutex_);
  bool IsDeletedOnMedium(uint64_t number) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // id: of the document with this number.
  WriteSequence SequenceOf(uint64_t number, std::string_view id) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // nullopt if the document is not live in snapshot_.
  std::optional<FoundDocument> FindInSnapshot(uint64_t number, std::string_view id) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Adds the document and deletes the others, with one write.
  WriteSequence Write(AddedDocumentPointer document, const std::vector<uint64_t>& deleted)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(add_mutex_);
  void MarkDeleted(const std::vector<uint64_t>& numbers, uint64_t write)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  // Sees to it that all writes below `wanted` are in snapshot_.
  absl::Status ShowWrites(uint64_t wanted);
  // Makes a segment in DRAM of the oldest documents that have none.
  absl::Status FreezeSome() ABSL_EXCLUSIVE_LOCKS_REQUIRED(freeze_mutex_);
  // Merges once, if there is something to merge.
  absl::StatusOr<bool> MergeSegments() ABSL_LOCKS_EXCLUDED(merge_mutex_);
  // Merges few documents once, beside the merge that another thread may be at.
  absl::StatusOr<bool> MergeFew() ABSL_LOCKS_EXCLUDED(few_mutex_);
  // Makes one segment of those with these documents, unless they are gone meanwhile.
  absl::Status MergeRange(const DocumentRange& range) ABSL_LOCKS_EXCLUDED(mutex_);
  void Work();  // the thread
  bool HasWork() const ABSL_NO_THREAD_SAFETY_ANALYSIS { return work_ || stop_; }
  void CallWorker();

  struct Cut;
  Cut TakeCut() ABSL_EXCLUSIVE_LOCKS_REQUIRED(commit_mutex_);
  bool HasNewProperties();
  // Gives the writer the fields and the properties of all writes so far.
  void TakeFieldsAndProperties() ABSL_EXCLUSIVE_LOCKS_REQUIRED(commit_mutex_);
  // Writes the documents that are not on the medium to a segment there. Returns until which write
  // all documents are there.
  absl::StatusOr<uint64_t> WriteDocuments() ABSL_EXCLUSIVE_LOCKS_REQUIRED(commit_mutex_);
  // Gives the writer the deletions of the writes below `until`. Requires that all documents of
  // these writes are on the medium.
  absl::Status WriteDeletions(uint64_t until) ABSL_EXCLUSIVE_LOCKS_REQUIRED(commit_mutex_);
  // Forgets what is not needed any more once the writes below `until` are published.
  void ForgetPublished(uint64_t until) ABSL_EXCLUSIVE_LOCKS_REQUIRED(commit_mutex_);
  // Makes snapshot_ anew, of all segments and of the deletions of the writes below `until`. Never
  // takes back what it shows.
  void UpdateSnapshot(uint64_t until) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  size_t MemoryBytes() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // True if so many documents have no segment that one on the medium is better than one in DRAM.
  bool HasManyUnfrozenLocked() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool HasManyUnfrozen() const;

  const IndexSettings settings_;
  const size_t memory_budget_bytes_;
  // Of the documents that were there before, but for those in history_. Its term is that of all.
  const WriteSequence opened_;
  const std::shared_ptr<const WriteHistory> history_;  // nullptr: none
  DramSegmentBuilder builder_;

  // Locks are taken in this order: commit, merge, few, freeze, add, mutex_.
  Mutex commit_mutex_;
  // nullptr once writing has ended.
  std::unique_ptr<IndexWriter> writer_ ABSL_GUARDED_BY(commit_mutex_)
      ABSL_PT_GUARDED_BY(commit_mutex_);
  uint64_t durable_ ABSL_GUARDED_BY(commit_mutex_);  // writes below it are
  // A segment that was written and could not be opened, and where its documents and writes end.
  struct UnopenedSegment {
    uint64_t segment_id = 0;
    uint64_t end = 0;
    uint64_t until = 0;
  };
  std::optional<UnopenedSegment> unopened_ ABSL_GUARDED_BY(commit_mutex_);
  Mutex merge_mutex_;
  Mutex few_mutex_;
  Mutex freeze_mutex_;
  Mutex add_mutex_;  // held by each write
  IdTables ids_ ABSL_GUARDED_BY(add_mutex_);
  // The documents since gathered_begin_, for the next commit; nullptr if there are none. If
  // gathered_begin_ is kNothingGathered, the memtable is not to be used.
  std::unique_ptr<DramMemtable> gathered_ ABSL_GUARDED_BY(add_mutex_);
  uint64_t gathered_begin_ ABSL_GUARDED_BY(add_mutex_) = 0;
  FieldSpecs fields_ ABSL_GUARDED_BY(add_mutex_);  // of all documents so far
  // Properties that no commit has taken yet.
  std::map<std::string, std::string> properties_ ABSL_GUARDED_BY(add_mutex_);

  // Documents are numbered in the order of the index, those on the medium first. Writes have
  // numbers of their own.
  mutable Mutex mutex_;
  uint64_t next_ ABSL_GUARDED_BY(mutex_);  // the number of the next write
  AddedDocuments documents_ ABSL_GUARDED_BY(mutex_);
  size_t gathered_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  // Documents below written_ are on the medium, those below frozen_ there or in dram_. No segment
  // of dram_ has documents on both sides of barrier_, where the segment ends that is being written.
  uint64_t written_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t barrier_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t barrier_write_ ABSL_GUARDED_BY(mutex_) = 0;  // the next write when the barrier was set
  uint64_t frozen_ ABSL_GUARDED_BY(mutex_) = 0;
  bool has_readers_ ABSL_GUARDED_BY(mutex_) = false;  // snapshots were taken since the last write
  MediumSegments medium_ ABSL_GUARDED_BY(mutex_);
  // What a thread with merge_mutex_ merges. One with few_mutex_ leaves it out. The other way round
  // both may merge the same documents; then the work of one is lost.
  DocumentRange merging_ ABSL_GUARDED_BY(mutex_);
  DramSegments dram_ ABSL_GUARDED_BY(mutex_);
  DeletionLog deletions_ ABSL_GUARDED_BY(mutex_);
  uint64_t shown_ ABSL_GUARDED_BY(mutex_);  // snapshot_ has the writes below it
  std::shared_ptr<const Snapshot> snapshot_ ABSL_GUARDED_BY(mutex_);
  absl::Status missing_copies_ ABSL_GUARDED_BY(mutex_);

  Mutex work_mutex_;
  bool work_ ABSL_GUARDED_BY(work_mutex_) = false;
  bool stop_ ABSL_GUARDED_BY(work_mutex_) = false;
  std::thread worker_;
};

}  // namespace pmdex
