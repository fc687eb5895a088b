// A flag that is set once to end a run early. Every stage checks it wherever it could wait for
// long. Thread-safe; a signal handler may call Set.
#pragma once

#include <atomic>

namespace pmdex {

class StopFlag {
 public:
  StopFlag() = default;
  // Counts as set also when `outer` is set. `outer` may be null; it outlives this flag.
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
