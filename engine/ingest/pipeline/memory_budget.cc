#include "engine/ingest/pipeline/memory_budget.h"

#include <chrono>

namespace pmdex {

struct MemoryBudget::Request {
  const MemoryBudget& budget;
  const size_t size_bytes;

  bool MayEnd() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(budget.mutex_) {
    return budget.cancelled_ || size_bytes <= budget.free_bytes_;
  }
};

bool MemoryBudget::Reserve(size_t size_bytes) {
  const Request request{*this, size_bytes};
  MutexLock lock(&mutex_);
  if (!cancelled_ && size_bytes > free_bytes_) {
    const StageClock::time_point since = StageClock::now();
    mutex_.Await(&request, &Request::MayEnd);
    waited_ += StageClock::now() - since;
  }
  if (cancelled_) return false;
  free_bytes_ -= size_bytes;
  return true;
}

void MemoryBudget::Release(size_t size_bytes) {
  MutexLock lock(&mutex_);
  free_bytes_ += size_bytes;
}

void MemoryBudget::Cancel() {
  MutexLock lock(&mutex_);
  cancelled_ = true;
}

size_t MemoryBudget::free_bytes() const {
  MutexLock lock(&mutex_);
  return free_bytes_;
}

double MemoryBudget::wait_seconds() const {
  MutexLock lock(&mutex_);
  return std::chrono::duration<double>(waited_).count();
}

}  // namespace pmdex
