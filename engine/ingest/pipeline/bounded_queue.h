// A queue between two stages. Push waits while the queue is full, Pop while it is empty, so a fast
// stage never runs ahead of a slow one by more than the capacity. The queue measures how long both
// waited. Thread-safe.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <optional>
#include <utility>

#include "absl/base/thread_annotations.h"

#include "engine/ingest/pipeline/queue_meter.h"
#include "pmem/mutex.h"

namespace pmdex {

// Values is the container: a std::deque, or a class with the same functions.
template <typename T, typename Values = std::deque<T>>
class BoundedQueue {
 public:
  explicit BoundedQueue(size_t capacity) : capacity_(capacity) {}

  // Returns false after Cancel, and drops the value.
  bool Push(T value) ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(&mutex_);
    if (!MayPush()) {
      const StageClock::time_point since = StageClock::now();
      mutex_.Await(this, &BoundedQueue::MayPush);
      meter_.AddPushWait(StageClock::now() - since);
    }
    if (cancelled_) return false;
    values_.push_back(std::move(value));
    meter_.SetDepth(values_.size());
    return true;
  }

  // Takes the oldest value. Empty if there is none and none will come.
  std::optional<T> Pop() ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(&mutex_);
    if (!MayPop()) {
      const StageClock::time_point since = StageClock::now();
      mutex_.Await(this, &BoundedQueue::MayPop);
      meter_.AddPopWait(StageClock::now() - since);
    }
    return PopLocked();
  }

  struct Popped {
    std::optional<T> value;
    bool ended = false;  // true if no value will come
  };
  // Like Pop, but waits no longer than `timeout`: the value may be empty before the queue has
  // ended.
  Popped PopFor(std::chrono::milliseconds timeout) ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(&mutex_);
    if (!MayPop()) {
      const StageClock::time_point since = StageClock::now();
      const bool may_pop = mutex_.AwaitFor(timeout, this, &BoundedQueue::MayPop);
      meter_.AddPopWait(StageClock::now() - since);
      if (!may_pop) return {};
    }
    Popped popped{PopLocked(), false};
    popped.ended = !popped.value.has_value();
    return popped;
  }

  // Says that no Push follows: Pop takes the values that are left and then returns nothing.
  void Close() ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(&mutex_);
    closed_ = true;
  }

  // Drops all values and ends all waiting, now and later.
  void Cancel() ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(&mutex_);
    cancelled_ = true;
    values_.clear();
  }

  QueueReport report() const ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(&mutex_);
    return meter_.Report(capacity_);
  }

 private:
  std::optional<T> PopLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (cancelled_ || values_.empty()) return std::nullopt;
    std::optional<T> value(std::move(values_.front()));
    values_.pop_front();
    meter_.SetDepth(values_.size());
    return value;
  }
  bool MayPush() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return cancelled_ || values_.size() < capacity_;
  }
  bool MayPop() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return cancelled_ || closed_ || !values_.empty();
  }

  const size_t capacity_;
  mutable Mutex mutex_;
  Values values_ ABSL_GUARDED_BY(mutex_);
  QueueMeter meter_ ABSL_GUARDED_BY(mutex_);
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
  bool cancelled_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace pmdex
