// The work of `pmdex watch`: a thread reads the changes of the trees, and the thread that calls Run
// compares the trees with what is known and applies the differences to the index, batch after
// batch.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"

#include "engine/ingest/pipeline/stop_flag.h"
#include "engine/ingest/problem_log.h"
#include "pmem/file_descriptor.h"
#include "pmem/mutex.h"
#include "pmem/status.h"
#include "tools/watch/change_collector.h"
#include "tools/watch/change_source.h"
#include "tools/watch/lag_histogram.h"
#include "tools/watch/open_change_source.h"
#include "tools/watch/throttle.h"
#include "tools/watch/tree_comparison.h"
#include "tools/watch/tree_root.h"
#include "tools/watch/watched_index.h"

namespace pmdex {

struct WatchOptions {
  bool once = false;           // bring the index up to date, and end
  bool keeps_entries = false;  // as TreeComparison; the index then has IngestOptions::attributes
  SourceKind source = SourceKind::kAuto;
  CollectorOptions collector;
  std::chrono::milliseconds poll_every{60'000};  // where the kernel cannot report changes
  Throttle throttle;
  CpuPacer::Time merge_time = CpuPacer::Time::Real();  // for the merges that it bounds
  // How long the end of the watch waits for another command that writes to the index.
  std::chrono::milliseconds longest_end{10'000};
  // A generation takes at most so many files that are read, so many bytes of them, and so many
  // files whose documents are taken over.
  size_t most_files = 10'000;
  uint64_t most_bytes = uint64_t{64} << 20;
  size_t most_moved = 100'000;
};

struct WatchReport {
  AppliedChanges applied;
  uint64_t unchanged = 0;  // files that were looked at when the watch began
  uint64_t overflows = 0;  // times that a queue was full and the trees were scanned
  double seconds = 0;
  bool is_interrupted = false;  // `stop` ended the first scan, and changes are left
  std::string source;           // "inotify" and so on; empty with `once`
  LagHistogram lag;             // from the report of a change to the generation that shows it
  ProblemSummaries problems;
};

class WatchSession {
 public:
  // The roots, the index and the flag outlive the session. warn: takes what the user should know.
  WatchSession(const WatchOptions& options, const std::vector<TreeRoot>& roots, WatchedIndex& index,
               const StopFlag& stop, std::function<void(std::string_view)> warn);
  ~WatchSession();

  // Brings the index up to date, and keeps it so until `stop` is set. Then applies all changes that
  // were reported, and returns. Where another command writes to the index for too long at that
  // time, it warns and leaves them for the next watch. after_batch: is called after changes were
  // applied, and when the index is up to date for the first time; may be empty. Call it once.
  absl::StatusOr<WatchReport> Run(const std::function<void(const WatchReport&)>& after_batch);

 private:
  using Clock = std::chrono::steady_clock;

  absl::Status OpenSource();
  void ReadChanges();  // in a thread of its own
  void ReadRest();     // the same
  // Why no changes are read any more; OK while they are.
  absl::Status ReadStatus() ABSL_LOCKS_EXCLUDED(mutex_);
  void TakeNote(ChangeSource& source) ABSL_LOCKS_EXCLUDED(mutex_);
  void EndReading();
  absl::Status BringUpToDate();
  absl::Status Follow(const std::function<void(const WatchReport&)>& after_batch);
  std::vector<DueChange> AwaitDue() ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status Apply(const std::vector<DueChange>& changes);
  // may_stop: leaves the rest for the next watch once `stop` is set.
  absl::Status ApplyDifference(TreeDifference difference, bool may_stop);
  absl::Status ApplyBatch(const TreeDifference& batch);
  absl::StatusOr<AppliedChanges> ApplyWhenFree(const TreeDifference& batch);
  void MergeSmallSegments();
  // Waits for a part of `longest`, less if the session is to end.
  void Rest(Clock::duration longest) const;
  bool HasNews() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return has_news_; }

  const WatchOptions options_;
  const std::vector<TreeRoot>& roots_;
  WatchedIndex& index_;
  const StopFlag& stop_;
  const std::function<void(std::string_view)> warn_;
  ProblemLog problems_;
  TreeComparison comparison_;
  WatchReport report_;
  std::optional<Clock::time_point> last_try_;  // once `stop` is set and another command writes
  bool has_warned_of_merge_ = false;
  std::chrono::nanoseconds reading_cpu_{0};      // of all batches
  std::chrono::nanoseconds reading_elapsed_{0};  // of all batches and the rests between them

  std::unique_ptr<ChangeSource> source_;
  std::unique_ptr<ChangeSource> poll_;  // beside a source that does not watch everything
  FileDescriptor end_;                  // an event, readable when the thread is to end
  std::thread reader_;
  Mutex mutex_;
  ChangeCollector collector_ ABSL_GUARDED_BY(mutex_);
  bool has_news_ ABSL_GUARDED_BY(mutex_) = false;
  uint64_t source_overflows_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::Status read_status_ ABSL_GUARDED_BY(mutex_);
  std::string warning_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace pmdex
