// Measures a queue between two stages: how full it was, and how long threads waited at either end.
// It reads the clock when an item goes in or out and when a thread has to wait. Not thread-safe:
// the mutex of the queue guards it.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace pmdex {

struct QueueReport {
  size_t capacity = 0;
  double mean_depth = 0;  // over the time from construction to the last change
  size_t max_depth = 0;
  // How long all threads together waited.
  double push_wait_seconds = 0;
  double pop_wait_seconds = 0;
};

using StageClock = std::chrono::steady_clock;

inline double SecondsSince(StageClock::time_point start) {
  return std::chrono::duration<double>(StageClock::now() - start).count();
}

class QueueMeter {
 public:
  // Says that the queue has this many items from now on.
  void SetDepth(size_t depth) {
    const StageClock::time_point now = StageClock::now();
    item_seconds_ += static_cast<double>(depth_) * Seconds(now - changed_);
    changed_ = now;
    depth_ = depth;
    max_depth_ = std::max(max_depth_, depth);
  }
  void AddPushWait(StageClock::duration waited) { push_wait_ += waited; }
  void AddPopWait(StageClock::duration waited) { pop_wait_ += waited; }

  QueueReport Report(size_t capacity) const {
    const double seconds = Seconds(changed_ - made_);
    return {capacity, seconds > 0 ? item_seconds_ / seconds : 0, max_depth_, Seconds(push_wait_),
            Seconds(pop_wait_)};
  }

 private:
  static double Seconds(StageClock::duration duration) {
    return std::chrono::duration<double>(duration).count();
  }

  const StageClock::time_point made_ = StageClock::now();
  StageClock::time_point changed_ = made_;
  double item_seconds_ = 0;
  size_t depth_ = 0;
  size_t max_depth_ = 0;
  StageClock::duration push_wait_{0};
  StageClock::duration pop_wait_{0};
};

}  // namespace pmdex
