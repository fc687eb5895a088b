// An index that the server writes. Operations are carried out in the order in which they come, and
// are durable when Write returns; requests at the same time share a commit. Searches find them
// after the next refresh: when a client asks for one, or a while later.
//
//   Write -> DocumentWriter -> LiveIndex -> Commit -> answer
//   Refresh -> newest snapshot of the LiveIndex -> ServedIndex -> searches
//
// Thread-safe. The index holds the writer lock of its directory until Close.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"

#include "engine/ingest/pipeline/stop_flag.h"
#include "engine/live/live_index.h"
#include "engine/store/index_writer.h"
#include "engine/store/merging/merge_index.h"
#include "pmem/directory.h"
#include "pmem/mutex.h"
#include "pmem/status.h"
#include "query/analyzer_pool.h"
#include "tools/server/served_index.h"
#include "tools/server/writing/index_definition.h"
#include "tools/server/writing/merge_waiters.h"
#include "tools/server/writing/version_table.h"
#include "tools/server/writing/write_operation.h"
#include "tools/server/writing/written_index.h"

namespace pmdex {

// What holds for the merges of an index.
struct MergeLimits {
  // Merges that nobody asked for write at most so many bytes a second; 0: no bound.
  uint64_t background_bytes_per_second = 0;
  // Once it is set, merges end without a result. May be null.
  std::shared_ptr<const StopFlag> stop = nullptr;
  // Of all indexes: the requests that wait for a merge, or merge themselves. May be null.
  std::shared_ptr<MergeWaiters> waiters = nullptr;
};

class WritableIndex final : public WrittenIndex,
                            public std::enable_shared_from_this<WritableIndex> {
 public:
  using Clock = std::chrono::steady_clock;
  // Called whenever searches are to see more. Calls do not overlap.
  using Publish = std::function<void(std::shared_ptr<const ServedIndex>)>;
  // So many calls of Write, Refresh and AddMappings wait for a merge of the index. Others return an
  // es_rejected_execution_exception (429), and so do all, and Merge, where MergeLimits::waiters has
  // no place left.
  static constexpr size_t kMostWaiting = 24;

  // Opens the index in the directory and publishes it. Returns the errors of LiveIndex::Open, and
  // kDataLoss if its definition cannot be read.
  static absl::StatusOr<std::shared_ptr<WritableIndex>> Open(std::string name,
                                                             const std::string& directory,
                                                             Publish publish,
                                                             MergeLimits limits = {});
  // Makes an index in the directory, which is made too, and publishes it. The index is durable on
  // return. Returns kAlreadyExists if there is an index, and the errors of LiveIndex::Open.
  static absl::StatusOr<std::shared_ptr<WritableIndex>> Create(std::string name,
                                                               const std::string& directory,
                                                               const IndexDefinition& definition,
                                                               Publish publish,
                                                               MergeLimits limits = {});
  ~WritableIndex() override;

  const std::string& name() const { return name_; }

  // Indexed like the operations. An error stands for all of them: some may be carried out, but none
  // is known to be durable. IndexNotFound once the index is closed, as for all below.
  absl::StatusOr<std::vector<WriteOutcome>> Write(const std::vector<WriteOperation>& operations,
                                                  bool refresh);
  // All that Write has acknowledged before is found by searches that begin after it returns.
  absl::Status Refresh();
  // The same, but returns kUnavailable where it would have to wait for a merge, which itself ends
  // with a refresh.
  absl::Status RefreshUnlessMerged();
  // When there is to be a refresh; nullopt if searches find everything, or only clients ask for it.
  std::optional<Clock::time_point> refresh_due() const;
  absl::StatusOr<std::optional<NewestDocument>> FindNewest(std::string_view id) override;

  // Writing waits for both; searching and FindNewest do not. Documents keep their sequences. A
  // merge that Close or MergeLimits::stop ends leaves the index as the merges before it made it,
  // and Merge returns a task_cancelled_exception (503).
  absl::Status Merge(const MergeIndexOptions& options);
  // The mappings are durable and shown on return.
  absl::Status AddMappings(const Json& mappings);
  // Merges small segments if there are many. While requests write, so that they would wait for the
  // merge, it does so only if there are very many, and returns when to call it again: nullopt if
  // there is nothing to merge later. Writes at most MergeLimits::background_bytes_per_second. now:
  // of Clock.
  absl::StatusOr<std::optional<Clock::time_point>> MergeIfManySegments(Clock::time_point now);

  // Stops merges, and waits for what else is under way. All later calls return IndexNotFound
  // (api_error.h): an index is closed when it is removed, or when the server ends.
  void Close();

 private:
  class Use;  // of live_, for as long as it lives

  WritableIndex(std::string name, std::string path, Publish publish, MergeLimits limits)
      : name_(std::move(name)),
        path_(std::move(path)),
        publish_(std::move(publish)),
        limits_(std::move(limits)),
        stop_merges_(limits_.stop.get()) {}
  absl::Status Start(const LiveOptions& options);
  absl::Status OpenLive(const LiveOptions& options);
  std::shared_ptr<const ServedIndex> Serve() ABSL_EXCLUSIVE_LOCKS_REQUIRED(write_mutex_);
  void RefreshLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(write_mutex_);
  // Answers show the definition from now on; searches find the same documents as before.
  void PublishDefinition(std::shared_ptr<const IndexDefinition> definition)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(write_mutex_);
  // Sees to it that searches will find writes that are durable now.
  void NoteWrites() ABSL_EXCLUSIVE_LOCKS_REQUIRED(write_mutex_);
  // Has `change` work on a writer of the index while nobody else uses it. The writer writes to
  // `directory`: directory_, or one that stands for it.
  absl::Status ChangeAlone(Directory& directory,
                           const std::function<absl::Status(IndexWriter&)>& change);
  absl::Status MergeIn(Directory& directory, MergeIndexOptions options);
  absl::Status MergeInBackground(MergeIndexOptions options);

  enum class WaitBound { kNone, kMostWaiting };
  absl::Status AwaitNotAlone(WaitBound bound) ABSL_EXCLUSIVE_LOCKS_REQUIRED(use_mutex_);
  absl::Status BeginAlone();
  void EndAlone(absl::Status state);
  // Opens an index again that could not be opened after a change. Returns the errors of
  // AwaitNotAlone.
  absl::Status ReopenIfLost(WaitBound bound);
  std::shared_ptr<LiveIndex> live();
  bool IsNotAlone() const ABSL_NO_THREAD_SAFETY_ANALYSIS { return !is_alone_; }
  bool IsUnused() const ABSL_NO_THREAD_SAFETY_ANALYSIS { return uses_ == 0; }

  const std::string name_;
  const std::string path_;
  const Publish publish_;
  const MergeLimits limits_;
  StopFlag stop_merges_;  // set when the index is closed, and with limits_.stop
  std::unique_ptr<Directory> directory_;
  std::shared_ptr<AnalyzerPool> analyzers_;
  VersionTable versions_;
  MergeWaiters waiters_{kMostWaiting};

  // Who uses live_, and who changes the index alone.
  Mutex use_mutex_;
  size_t uses_ ABSL_GUARDED_BY(use_mutex_) = 0;
  bool is_alone_ ABSL_GUARDED_BY(use_mutex_) = false;
  bool is_closed_ ABSL_GUARDED_BY(use_mutex_) = false;
  // Not OK: the index is closed, or could not be opened after a change. Then the next use tries it
  // again.
  absl::Status state_ ABSL_GUARDED_BY(use_mutex_);
  // Changed under use_mutex_ by who is alone, so that FindNewest need not wait for the change.
  std::shared_ptr<LiveIndex> live_;

  Mutex write_mutex_;  // held while operations are carried out, so that they have an order
  std::shared_ptr<const IndexDefinition> definition_ ABSL_GUARDED_BY(write_mutex_);
  absl::Status missing_copies_ ABSL_GUARDED_BY(write_mutex_);  // as it was reported last
  ShownWrites served_ ABSL_GUARDED_BY(write_mutex_);
  uint64_t segments_after_merge_ ABSL_GUARDED_BY(write_mutex_) = 0;
  Clock::time_point last_write_ ABSL_GUARDED_BY(write_mutex_);  // when its commit ended
  static constexpr int64_t kNever = INT64_MAX;
  std::atomic<int64_t> refresh_due_{kNever};  // of Clock, in its units
};

}  // namespace pmdex
