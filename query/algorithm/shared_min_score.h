// A score that k documents reach already, found by any of the threads that share a query: no thread
// needs documents below it. Thread-safe.
#pragma once

#include <atomic>
#include <limits>

namespace pmdex {

class SharedMinScore {
 public:
  float get() const { return score_.load(std::memory_order_relaxed); }
  // Does nothing if the shared score is higher.
  void Raise(float score) {
    float now = get();
    while (score > now && !score_.compare_exchange_weak(now, score, std::memory_order_relaxed)) {
    }
  }

 private:
  std::atomic<float> score_ = -std::numeric_limits<float>::infinity();
};

}  // namespace pmdex
