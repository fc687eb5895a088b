// Which file a reader turns to next. The walk puts files in, in its order and up to a bound;
// readers take them out, and a reader that finds none helps another one with a large file.
//
// With `larger_first`, files that fit into no block come before others that the walk met a little
// earlier, the largest first: they take longest, and a run ends sooner when they have begun. Small
// files keep the order of the walk. Only so many files are looked at: what is done must stay few
// intervals of the walk (see watermark.h). A whole file that fits into no block waits while the
// oversize block is in use, for there is only one.
//
// Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "absl/base/thread_annotations.h"

#include "engine/ingest/memory_plan.h"
#include "engine/ingest/pipeline/block_pool.h"
#include "engine/ingest/pipeline/queue_meter.h"
#include "engine/ingest/reading/input_file.h"
#include "engine/ingest/reading/shared_read.h"
#include "pmem/mutex.h"

namespace pmdex {

// One of both; neither: there is nothing to do for now.
struct ReadTask {
  std::optional<InputFile> file;
  std::shared_ptr<SharedRead> shared;
};

class FileSchedule {
 public:
  // How far a file may come before its place in the walk.
  static constexpr uint64_t kFilesLookedAt = 4096;

  // capacity: how many files may wait, and how much memory they may take: kBytesPerWaitingFile for
  // each of them.
  FileSchedule(size_t capacity, bool larger_first, BlockPool& pool)
      : capacity_(capacity), larger_first_(larger_first), pool_(pool) {}

  // For the walk. Push waits for room; false after Cancel. No Push follows Close.
  bool Push(InputFile file) ABSL_LOCKS_EXCLUDED(mutex_);
  void Close() ABSL_LOCKS_EXCLUDED(mutex_);
  // Everybody stops now.
  void Cancel() ABSL_LOCKS_EXCLUDED(mutex_);

  // For readers. Waits for a file, or for one to help with, unless no file comes any more. The
  // reader calls FileIsRead when it is done with a file.
  ReadTask Next() ABSL_LOCKS_EXCLUDED(mutex_);
  void FileIsRead() ABSL_LOCKS_EXCLUDED(mutex_);
  // When Next gives nothing: waits until it may give something again; false when it never will.
  bool AwaitMore() ABSL_LOCKS_EXCLUDED(mutex_);

  // The reader of a file asks others to help, and says when there is nothing left to help with; who
  // helps may say so too.
  void Offer(std::shared_ptr<SharedRead> shared) ABSL_LOCKS_EXCLUDED(mutex_);
  void Withdraw(const SharedRead* shared) ABSL_LOCKS_EXCLUDED(mutex_);

  // Of the files that wait, and of those who wait for them.
  QueueReport report() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  bool IsLarge(const InputFile& file) const;
  InputFile TakeFile() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Index in large_; nothing when a small file is to be next.
  std::optional<size_t> NextLarge() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  size_t waiting() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return small_.size() + large_.size();
  }
  bool MayPush() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return cancelled_ || waiting() == 0 ||
           (waiting() < capacity_ && waiting_bytes_ < capacity_ * kBytesPerWaitingFile);
  }
  bool MayTake() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return cancelled_ || closed_ || waiting() > 0 || !offers_.empty();
  }
  bool MoreIsKnown() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return cancelled_ || waiting() > 0 || !offers_.empty() || files_in_hand_ == 0;
  }

  const size_t capacity_;
  const bool larger_first_;
  BlockPool& pool_;
  mutable Mutex mutex_;
  QueueMeter meter_ ABSL_GUARDED_BY(mutex_);
  std::deque<InputFile> small_ ABSL_GUARDED_BY(mutex_);  // both in the order of the walk
  std::deque<InputFile> large_ ABSL_GUARDED_BY(mutex_);
  size_t waiting_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  std::vector<std::shared_ptr<SharedRead>> offers_ ABSL_GUARDED_BY(mutex_);
  int files_in_hand_ ABSL_GUARDED_BY(mutex_) = 0;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
  bool cancelled_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace pmdex
