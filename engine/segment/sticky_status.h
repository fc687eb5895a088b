// A Status that keeps the first error that is set. Get costs one atomic load while it is OK.
// Thread-safe.
#pragma once

#include <atomic>

#include "absl/base/thread_annotations.h"

#include "pmem/mutex.h"
#include "pmem/status.h"

namespace pmdex {

class StickyStatus {
 public:
  bool ok() const { return !set_.load(std::memory_order_acquire); }
  absl::Status Get() const {
    if (ok()) return absl::OkStatus();
    MutexLock lock(&mutex_);
    return status_;
  }

  void Set(const absl::Status& status) {
    if (status.ok()) return;
    MutexLock lock(&mutex_);
    if (!status_.ok()) return;
    status_ = status;
    set_.store(true, std::memory_order_release);
  }

 private:
  std::atomic<bool> set_ = false;
  mutable Mutex mutex_;
  absl::Status status_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace pmdex
