// Decides which file a reader reads next. The walk adds files in its order, up to a bound. Readers
// take them. A reader that finds no file helps another one with a large file.
//
// With `larger_first`, files that fit into no block come before files that the walk met a little
// earlier, the largest first. They take longest, so the run ends sooner if they begin early. Small
// files keep the order of the walk. A file comes earlier by at most kFilesLookedAt places, so that
// the watermark stays small (watermark.h). A whole file that fits into no block waits while the
// oversize block is in use, because there is only one.
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

// Either a file to read or a file to help with. If both are empty, there is nothing to do now.
struct ReadTask {
  std::optional<InputFile> file;
  std::shared_ptr<SharedRead> shared;
};

class FileSchedule {
 public:
  // By how many places a file may come earlier than in the walk.
  static constexpr uint64_t kFilesLookedAt = 4096;

  // `capacity` files may wait. Together they may take kBytesPerWaitingFile for each of so many.
  FileSchedule(size_t capacity, bool larger_first, BlockPool& pool)
      : capacity_(capacity), larger_first_(larger_first), pool_(pool) {}

  // The walk calls these. Push waits for room; it returns false after Cancel. Close says that no
  // Push follows.
  bool Push(InputFile file) ABSL_LOCKS_EXCLUDED(mutex_);
  void Close() ABSL_LOCKS_EXCLUDED(mutex_);
  // Ends all waiting, now and later.
  void Cancel() ABSL_LOCKS_EXCLUDED(mutex_);

  // Readers call these. Next waits for a file to read or to help with, unless no file comes any
  // more. The reader calls FileIsRead when it has finished a file.
  ReadTask Next() ABSL_LOCKS_EXCLUDED(mutex_);
  void FileIsRead() ABSL_LOCKS_EXCLUDED(mutex_);
  // Readers call this when Next returns nothing. Waits until Next may return something again; false
  // if it never will.
  bool AwaitMore() ABSL_LOCKS_EXCLUDED(mutex_);

  // Offer asks other readers to help with a file. Withdraw says that there is nothing left to help
  // with; the reader of the file calls it, or a reader that helps.
  void Offer(std::shared_ptr<SharedRead> shared) ABSL_LOCKS_EXCLUDED(mutex_);
  void Withdraw(const SharedRead* shared) ABSL_LOCKS_EXCLUDED(mutex_);

  // The queue of files that wait.
  QueueReport report() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  bool IsLarge(const InputFile& file) const;
  InputFile TakeFile() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The index in large_ of the next file; empty if a small file is next.
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
