// The index that `pmdex watch` keeps true: it applies what a comparison of the trees has found, one
// generation for each batch. The documents and the known files of a batch become visible and
// durable together.
//
// Where the batches leave many small segments, neighbours are merged by the policy of
// merge_policy.h. The writer of the index is open only during a batch, so that other commands can
// merge or convert segments in between. Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/ingest/file_indexer.h"
#include "engine/ingest/ingest_options.h"
#include "engine/ingest/pipeline/stop_flag.h"
#include "engine/ingest/problem_log.h"
#include "engine/store/document_locator.h"
#include "engine/store/index_writer.h"
#include "engine/store/known_files/known_files.h"
#include "pmem/directory.h"
#include "pmem/status.h"
#include "tools/watch/tree_comparison.h"

namespace pmdex {

// What a batch has done, in documents.
struct AppliedChanges {
  uint64_t added = 0;
  uint64_t updated = 0;
  uint64_t renamed = 0;
  uint64_t removed = 0;
  uint64_t bytes_in = 0;  // of text
  uint64_t generations = 0;
  void Add(const AppliedChanges& other);
};

class WatchedIndex {
 public:
  // options.settings are those of the index. prepare: is called with each writer before it writes,
  // to choose its places; may be empty. The directory and the options outlive the object.
  static absl::StatusOr<std::unique_ptr<WatchedIndex>> Open(
      Directory& directory, const IngestOptions& options,
      std::function<absl::Status(IndexWriter&)> prepare);

  const KnownFiles& known() const { return known_; }
  // Why the known files of the index could not be read; OK if they were, or if there are none.
  const absl::Status& damage() const { return damage_; }
  // Makes the ids of all documents known files, with the facts that the index has of them
  // (document_facts.h). Files of which it has none, or several documents, are read again, and
  // documents without a file are removed. For an index that `pmdex index` has built: call it if the
  // index has documents and no known files.
  absl::Status AdoptDocuments();
  // Publishes the known files alone: for an index that was taken over and needs no batch. Returns
  // kUnavailable as Apply.
  absl::Status PublishKnownFiles();
  // True if the index has documents, and no watch has published its known files with it.
  bool HasUnknownDocuments() const { return has_unknown_documents_; }

  // Applies a batch and publishes it. Returns kUnavailable, and
  // has changed nothing, if another process is writing; kFailedPrecondition if another watch or
  // build has replaced what this one knows; and the errors of the writer, after which the object
  // must not be used any more.
  absl::StatusOr<AppliedChanges> Apply(const TreeDifference& batch);
  // Merges what the policy says; nothing if another process is writing. The index is right without
  // it. Returns why a merge failed. It is then not tried again until the number of segments has
  // changed. rest: called often while segments are merged, and may wait; may be empty.
  absl::Status MergeSmallSegments(const std::function<void()>& rest = {});
  // From now on a merge ends without a result once the flag is set. The flag outlives the object.
  void StopMergesBy(const StopFlag& stop) { stop_merges_ = &stop; }
  // From now on waits, at most some milliseconds, until no file of a batch has changed in this tick
  // of the clock, so that its facts tell later changes. Off while a batch is to be visible soon.
  void WaitOutTicks(bool on) { waits_out_ticks_ = on; }
  // Publishes an empty index if there is none yet.
  absl::Status PublishIfNew();

  ProblemSummaries TakeProblems() { return indexer_.TakeProblems(); }

 private:
  WatchedIndex(Directory& directory, const IngestOptions& options,
               std::function<absl::Status(IndexWriter&)> prepare);

  absl::StatusOr<std::unique_ptr<IndexWriter>> OpenWriter();
  using Outcomes = std::vector<std::optional<FileOutcome>>;  // indexed like the files to read

  absl::Status ApplyRead(const TreeDifference& batch, IndexWriter& writer, AppliedChanges& applied);
  // Takes over the documents of files that were known at other paths. Sets their outcomes.
  absl::Status Move(const TreeDifference& batch, IndexWriter& writer, Outcomes& outcomes);
  // Reads the files that have no outcome yet.
  absl::Status Read(const TreeDifference& batch, IndexWriter& writer, Outcomes& outcomes,
                    AppliedChanges& applied);
  void ApplyRemoved(const TreeDifference& batch, AppliedChanges& applied);
  // Deletes the documents of all files of the batch as they were before.
  absl::Status DeleteOld(const TreeDifference& batch, IndexWriter& writer);
  bool HasDocument(const std::string& path) const;
  void Learn(const FileToRead& file, FileOutcome outcome, int64_t read_at_ns);
  absl::Status Publish(IndexWriter& writer);

  Directory& directory_;
  const IngestOptions& options_;
  const std::function<absl::Status(IndexWriter&)> prepare_;
  FileIndexer indexer_;
  DocumentLocator locator_;
  KnownFiles known_;
  std::string property_;  // of the manifest: where known_ was loaded from or last written to
  absl::Status damage_;
  bool exists_ = false;
  bool has_unknown_documents_ = false;
  bool waits_out_ticks_ = false;
  const StopFlag* stop_merges_ = nullptr;
  std::optional<size_t> failed_at_segments_;  // where a merge failed: how many there were
};

}  // namespace pmdex
