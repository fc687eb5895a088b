// A queue between stages. Push waits while it is full, Pop while it is empty: a fast stage never
// runs ahead of a slow one by more than the capacity. Thread-safe.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <optional>
#include <utility>

#include "absl/base/thread_annotations.h"

#include "pmem/mutex.h"

namespace pmdex {

template <typename T>
class BoundedQueue {
 public:
  explicit BoundedQueue(size_t capacity) : capacity_(capacity) {}

  // False after Cancel: the value is dropped.
  bool Push(T value) ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(&mutex_);
    mutex_.Await(this, &BoundedQueue::MayPush);
    if (cancelled_) return false;
    values_.push_back(std::move(value));
    return true;
  }

  // The oldest value; empty when there is none and none will come.
  std::optional<T> Pop() ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(&mutex_);
    mutex_.Await(this, &BoundedQueue::MayPop);
    return PopLocked();
  }

  struct Popped {
    std::optional<T> value;
    bool ended = false;  // no value will come
  };
  // The same, but waits no longer than this: it may come back empty before the queue has ended.
  Popped PopFor(std::chrono::milliseconds timeout) ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(&mutex_);
    if (!mutex_.AwaitFor(timeout, this, &BoundedQueue::MayPop)) return {};
    Popped popped{PopLocked(), false};
    popped.ended = !popped.value.has_value();
    return popped;
  }

  // No Push follows: Pop empties the queue, then returns nothing.
  void Close() ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(&mutex_);
    closed_ = true;
  }

  // Everybody stops now.
  void Cancel() ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(&mutex_);
    cancelled_ = true;
    values_.clear();
  }

 private:
  std::optional<T> PopLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (cancelled_ || values_.empty()) return std::nullopt;
    std::optional<T> value(std::move(values_.front()));
    values_.pop_front();
    return value;
  }
  bool MayPush() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return cancelled_ || values_.size() < capacity_;
  }
  bool MayPop() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return cancelled_ || closed_ || !values_.empty();
  }

  const size_t capacity_;
  Mutex mutex_;
  std::deque<T> values_ ABSL_GUARDED_BY(mutex_);
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
  bool cancelled_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace pmdex
