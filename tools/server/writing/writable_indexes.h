// The indexes that the server may write: those of `--data`, which are open from the start, and
// those of `--index`, each from the first request that writes it. Puts them into the catalog
// whenever searches are to see more. One thread refreshes them in time, and another merges their
// segments, one index after the other.
//
// Thread-safe. Errors are ApiErrors where a client is at fault.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"

#include "pmem/mutex.h"
#include "pmem/status.h"
#include "tools/server/index_catalog.h"
#include "tools/server/writing/due_work.h"
#include "tools/server/writing/index_definition.h"
#include "tools/server/writing/index_folder.h"
#include "tools/server/writing/writable_index.h"

namespace pmdex {

struct WritingOptions {
  std::string data_directory;  // empty: no index can be made or removed
  bool read_only = false;      // nothing is written
  // MergeLimits::background_bytes_per_second of each index.
  uint64_t merge_bytes_per_second = 0;
};

class WritableIndexes {
 public:
  // So many requests may wait for merges, or merge. Fewer than HttpServerOptions::waiting_pool has
  // threads, so that requests to other indexes go on, and one that removes an index stops its
  // merge.
  static constexpr size_t kMostWaitingForMerges = 32;

  // Opens the indexes of the data directory. One that cannot be opened for writing is served for
  // reading only, or not at all; a warning says so. The catalog outlives this object. Returns the
  // errors of IndexFolder::Open, and kInvalidArgument if two indexes have the same name.
  static absl::StatusOr<std::unique_ptr<WritableIndexes>> Start(const WritingOptions& options,
                                                                IndexCatalog& catalog);
  // Stops merges, waits for what else is under way, and closes all indexes.
  ~WritableIndexes();

  // From now on merges end without a result, those that run now among them: the server is about to
  // end.
  void StopMerges() { stop_merges_->Set(); }

  // The index of this name. Errors: 404 if there is none, 403 if the server writes nothing, and
  // those of opening it for writing, kUnavailable if another process writes it.
  absl::StatusOr<std::shared_ptr<WritableIndex>> Find(std::string_view name);
  // The same, but makes the index if there is none and there is a data directory.
  absl::StatusOr<std::shared_ptr<WritableIndex>> FindOrCreate(std::string_view name);
  // Durable on return. Errors: 400 for a name that is not allowed or in use, 403.
  absl::Status Create(std::string_view name, const IndexDefinition& definition);
  // Removes an index of the data directory with its files, once what is under way there has ended.
  // Its merges are stopped.
  // Errors: 404, and 403 for other indexes.
  absl::Status Remove(std::string_view name);
  // The index of this name if it is open for writing, otherwise nullptr: then searches find all
  // that is in it.
  std::shared_ptr<WritableIndex> FindOpen(std::string_view name) const;
  // The index as searches see it now; nullptr if there is none.
  std::shared_ptr<const ServedIndex> Served(std::string_view name) const {
    return catalog_.Find(name);
  }
  // To be called after WritableIndex::Write, so that there will be a refresh, and merges.
  void NoteWrites();

 private:
  WritableIndexes(const WritingOptions& options, IndexCatalog& catalog)
      : options_(options), catalog_(catalog) {}
  absl::Status OpenFolder();
  void OpenForReading(const std::string& name);
  absl::StatusOr<std::shared_ptr<WritableIndex>> OpenLocked(const std::string& name,
                                                            const std::string& directory)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  WritableIndex::Publish PublishFunction();
  MergeLimits LimitsOfMerges() const {
    return {options_.merge_bytes_per_second, stop_merges_, merge_waiters_};
  }
  absl::StatusOr<std::shared_ptr<WritableIndex>> FindLocked(std::string_view name)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status CreateLocked(std::string_view name, const IndexDefinition& definition)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status CheckCanMake() const;
  absl::Status CheckRemovable(std::string_view name) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  std::vector<std::shared_ptr<WritableIndex>> OpenIndexes() const;
  // Do what is due, and return how long nothing will be.
  std::chrono::milliseconds RefreshDue();
  std::chrono::milliseconds MergeDue();

  const WritingOptions options_;
  // Shared with the indexes, which readers may hold for longer.
  const std::shared_ptr<StopFlag> stop_merges_ = std::make_shared<StopFlag>();
  const std::shared_ptr<MergeWaiters> merge_waiters_ =
      std::make_shared<MergeWaiters>(kMostWaitingForMerges);
  IndexCatalog& catalog_;
  mutable Mutex mutex_;
  std::unique_ptr<IndexFolder> folder_ ABSL_GUARDED_BY(mutex_);  // nullptr: none
  std::map<std::string, std::shared_ptr<WritableIndex>, std::less<>> indexes_
      ABSL_GUARDED_BY(mutex_);

  std::unique_ptr<DueWork> refreshes_;
  std::unique_ptr<DueWork> merges_;
};

}  // namespace pmdex
