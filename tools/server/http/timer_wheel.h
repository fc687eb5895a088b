// Tells which connections have reached their deadline. Time is counted in ticks. Moving a deadline
// costs nothing: the connection keeps its newest one, and the wheel looks at each connection every
// kMostAhead ticks, or sooner if its deadline is sooner. A deadline that was moved forward may so
// be seen that many ticks late. For one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace pmdex {

class TimerWheel {
 public:
  explicit TimerWheel(uint64_t now) : now_(now), slots_(kSlots) {}

  static constexpr uint64_t kMostAhead = 10;

  // Begins to look at `id`, whose deadline is `tick`.
  void Add(uint64_t id, uint64_t tick) { slots_[SlotOf(tick)].push_back(id); }

  // Advances to tick `now`. deadline_of(id) returns the deadline of a connection, or 0 if it is
  // gone. Calls expired(id) for each whose deadline has come; the others stay in the wheel.
  template <typename DeadlineOf, typename Expired>
  void Advance(uint64_t now, const DeadlineOf& deadline_of, const Expired& expired) {
    for (; now_ < now; ++now_) {
      std::vector<uint64_t> due = std::exchange(slots_[(now_ + 1) % kSlots], {});
      for (const uint64_t id : due) {
        const uint64_t deadline = deadline_of(id);
        if (deadline == 0) continue;
        if (deadline <= now_ + 1) {
          expired(id);
        } else {
          slots_[SlotAfter(now_ + 1, deadline)].push_back(id);
        }
      }
    }
  }

 private:
  static constexpr uint64_t kSlots = 16;

  static size_t SlotAfter(uint64_t now, uint64_t tick) {
    const uint64_t ahead = tick - now < kMostAhead ? tick - now : kMostAhead;
    return (now + ahead) % kSlots;
  }
  size_t SlotOf(uint64_t tick) const { return SlotAfter(now_, tick > now_ ? tick : now_ + 1); }

  uint64_t now_;
  std::vector<std::vector<uint64_t>> slots_;
};

}  // namespace pmdex
