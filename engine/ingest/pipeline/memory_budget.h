// Counts bytes that several threads share. A thread that needs more than is left waits until others
// release some. The budget only counts; the caller takes the memory elsewhere. Thread-safe.
#pragma once

#include <cstddef>

#include "absl/base/thread_annotations.h"

#include "engine/ingest/pipeline/queue_meter.h"
#include "pmem/mutex.h"

namespace pmdex {

class MemoryBudget {
 public:
  explicit MemoryBudget(size_t size_bytes) : free_bytes_(size_bytes) {}

  // Waits until so much is free. Returns false after Cancel, and reserves nothing.
  bool Reserve(size_t size_bytes) ABSL_LOCKS_EXCLUDED(mutex_);
  void Release(size_t size_bytes) ABSL_LOCKS_EXCLUDED(mutex_);
  // Ends all waiting, now and later.
  void Cancel() ABSL_LOCKS_EXCLUDED(mutex_);

  size_t free_bytes() const ABSL_LOCKS_EXCLUDED(mutex_);
  // How long all threads together waited.
  double wait_seconds() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Request;

  mutable Mutex mutex_;
  size_t free_bytes_ ABSL_GUARDED_BY(mutex_);
  bool cancelled_ ABSL_GUARDED_BY(mutex_) = false;
  StageClock::duration waited_ ABSL_GUARDED_BY(mutex_){0};
};

}  // namespace pmdex
