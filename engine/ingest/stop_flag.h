// Set once, when the run fails: every stage looks at it where it could wait for long. Thread-safe.
#pragma once

#include <atomic>

namespace pmdex {

class StopFlag {
 public:
  void Set() { stopped_.store(true, std::memory_order_relaxed); }
  bool IsSet() const { return stopped_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> stopped_{false};
};

}  // namespace pmdex
