// A Directory around another one whose n-th operation fails with a chosen error, as on a full or
// failing medium. Operations are counted in the order of their calls; those of the files that it
// created are counted, too. Copies and flushes cannot fail; their error is that of the next Drain.
//
// Thread-safe if the other directory is. The other directory must outlive it and its files.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "absl/base/thread_annotations.h"

#include "pmem/directory.h"
#include "pmem/mutex.h"

namespace pmdex {

// Counts operations and chooses which of them fail. Thread-safe.
class FaultPlan {
 public:
  // fail_at: the number of the operation that fails with `error`, counted from 1; 0 if none does.
  // for_good: all later operations fail, too.
  FaultPlan(uint64_t fail_at, absl::Status error, bool for_good = false)
      : fail_at_(fail_at), error_(std::move(error)), for_good_(for_good) {}

  // Counts the operation `what`. Returns the error with which it must fail, or OK.
  absl::Status Next(std::string_view what) ABSL_LOCKS_EXCLUDED(mutex_);

  bool touched() const { return touched_; }
  // The operation that failed first, for messages.
  std::string failed() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  const uint64_t fail_at_;
  const absl::Status error_;
  const bool for_good_;
  std::atomic<bool> touched_{false};
  mutable Mutex mutex_;
  uint64_t count_ ABSL_GUARDED_BY(mutex_) = 0;
  std::string failed_ ABSL_GUARDED_BY(mutex_);
};

// `behind` and `plan` must outlive the directory and its files.
std::unique_ptr<Directory> NewFaultyDirectory(Directory& behind, FaultPlan& plan);

}  // namespace pmdex
