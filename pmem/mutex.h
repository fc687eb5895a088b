// A mutex on which threads can wait for a condition, made of the standard library's. absl::Mutex
// does the same, but Debian does not build it for ThreadSanitizer, which then reports every use.
// Carries the annotations of abseil, so that clang checks which data it guards.
//
//   MutexLock lock(&mutex_);
//   mutex_.Await(this, &Queue::MayPop);   // calls MayPop again whenever a thread unlocks
//
// Each unlock wakes all threads in Await. Where many threads wait and one shall go on, each of them
// waits for a WakeUp of its own.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "absl/base/thread_annotations.h"

namespace pmdex {

class ABSL_LOCKABLE Mutex {
 public:
  void Lock() ABSL_EXCLUSIVE_LOCK_FUNCTION() { mutex_.lock(); }
  void Unlock() ABSL_UNLOCK_FUNCTION() {
    WakeOthers();
    mutex_.unlock();
  }

  // Waits until (object->*predicate)() is true. The mutex is unlocked while it waits and locked
  // when it calls the predicate and on return. Requires the lock, and a predicate that reads only
  // what this mutex guards.
  template <typename T>
  void Await(const T* object, bool (T::*predicate)() const) ABSL_EXCLUSIVE_LOCKS_REQUIRED(this) {
    WakeOthers();
    std::unique_lock<std::mutex> lock(mutex_, std::adopt_lock);
    ++waiters_;
    changed_.wait(lock, [=] { return (object->*predicate)(); });
    --waiters_;
    lock.release();
  }

  // The same for at most `timeout`. Returns the last value of the predicate.
  template <typename T>
  bool AwaitFor(std::chrono::milliseconds timeout, const T* object, bool (T::*predicate)() const)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(this) {
    WakeOthers();
    std::unique_lock<std::mutex> lock(mutex_, std::adopt_lock);
    ++waiters_;
    const bool holds = changed_.wait_for(lock, timeout, [=] { return (object->*predicate)(); });
    --waiters_;
    lock.release();
    return holds;
  }

 private:
  friend class WakeUp;

  void WakeOthers() {
    if (waiters_ > 0) changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  int waiters_ = 0;  // guarded by mutex_
};

// Holds a mutex for as long as it lives.
class ABSL_SCOPED_LOCKABLE MutexLock {
 public:
  explicit MutexLock(Mutex* mutex) ABSL_EXCLUSIVE_LOCK_FUNCTION(mutex) : mutex_(mutex) {
    mutex_->Lock();
  }
  ~MutexLock() ABSL_UNLOCK_FUNCTION() { mutex_->Unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex* const mutex_;
};

// Lets one thread wait until another one wakes it. Whoever calls it holds the same mutex each time.
class WakeUp {
 public:
  // Waits for a Send, which may have come before. The mutex is unlocked meanwhile. For one thread
  // at a time.
  void Await(Mutex* mutex) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    mutex->WakeOthers();
    std::unique_lock<std::mutex> lock(mutex->mutex_, std::adopt_lock);
    sent_changed_.wait(lock, [this] { return is_sent_; });
    is_sent_ = false;
    lock.release();
  }
  // Wakes the thread in Await, or the next one that comes there.
  void Send() {
    is_sent_ = true;
    sent_changed_.notify_one();
  }

 private:
  std::condition_variable sent_changed_;
  bool is_sent_ = false;  // guarded by the mutex
};

}  // namespace pmdex
