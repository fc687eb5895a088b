// A mutex with waiting for a condition, over the standard library's. absl::Mutex would do the same,
// but Debian's is not built for ThreadSanitizer, which then sees no lock at all and reports every
// use. Carries abseil's annotations: clang checks what is guarded by it.
//
//   MutexLock lock(&mutex_);
//   mutex_.Await(this, &Queue::MayPop);   // MayPop is looked at again whenever somebody unlocks
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

  // Waits, unlocked meanwhile, until (object->*predicate)() holds. The predicate reads only what
  // this mutex guards. Requires the lock, holds it again on return.
  template <typename T>
  void Await(const T* object, bool (T::*predicate)() const) ABSL_EXCLUSIVE_LOCKS_REQUIRED(this) {
    WakeOthers();
    std::unique_lock<std::mutex> lock(mutex_, std::adopt_lock);
    ++waiters_;
    changed_.wait(lock, [=] { return (object->*predicate)(); });
    --waiters_;
    lock.release();
  }

  // The same for at most `timeout`; returns whether the condition holds.
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
  void WakeOthers() {
    if (waiters_ > 0) changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  int waiters_ = 0;  // guarded by mutex_
};

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

}  // namespace pmdex
