// A Directory that fails its n-th operation with a chosen error, around another one: what a full or
// failing medium does to the protocol, at every step of it. Operations are counted in the order in
// which they are called, those of the files it created included; the copies themselves cannot
// fail, as in the contract: their error is that of the next Drain.
//
// Thread-safe as the directory behind it, which must outlive it and its files.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "absl/base/thread_annotations.h"

#include "pmem/directory.h"
#include "pmem/mutex.h"

namespace pmdex {

// Counts operations and decides which fails. Thread-safe.
class FaultPlan {
 public:
  // Operation number `fail_at`, counted from 1, fails with `error`; 0: none does. With `for_good`
  // all after it fail too, as on a medium that is gone.
  FaultPlan(uint64_t fail_at, absl::Status error, bool for_good = false)
      : fail_at_(fail_at), error_(std::move(error)), for_good_(for_good) {}

  // OK, or the error that operation `what` is to fail with.
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

// `behind` and `plan` outlive the directory and its files.
std::unique_ptr<Directory> NewFaultyDirectory(Directory& behind, FaultPlan& plan);

}  // namespace pmdex
