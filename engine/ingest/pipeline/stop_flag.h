// Set once to end a run early: every stage looks at it where it could wait for long. Thread-safe,
// and Set may be called by a signal handler.
#pragma once

#include <atomic>

namespace pmdex {

class StopFlag {
 public:
  StopFlag() = default;
  // Is set as soon as `outer` is, too. `outer` may be null and outlives this flag.
  explicit StopFlag(const StopFlag* outer) : outer_(outer) {}

  void Set() { stopped_.store(true, std::memory_order_relaxed); }
  bool IsSet() const {
    return stopped_.load(std::memory_order_relaxed) || (outer_ != nullptr && outer_->IsSet());
  }

 private:
  static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");
  std::atomic<bool> stopped_{false};
  const StopFlag* const outer_ = nullptr;
};

}  // namespace pmdex
