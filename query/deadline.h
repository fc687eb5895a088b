// Until when a query may go on. Everything that a query does looks at it once for so much work:
// algorithms between windows, leaves and runs of documents, expansions between terms, the naming of
// hits between batches of them. Whoever finds that it is over stops, and its answer says so.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace pmdex {

// What the time is; tests have one of their own. Thread-safe.
class DeadlineClock {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  virtual ~DeadlineClock() = default;
  virtual TimePoint Now() const = 0;
};

// A value. The clock must outlive it; nullptr: the steady clock.
class Deadline {
 public:
  using TimePoint = DeadlineClock::TimePoint;

  constexpr Deadline() = default;
  constexpr Deadline(std::nullopt_t) {}  // for ever
  constexpr Deadline(TimePoint end, const DeadlineClock* clock = nullptr)
      : end_(end), clock_(clock) {}

  bool IsPast() const {
    if (!end_.has_value()) return false;
    return (clock_ == nullptr ? std::chrono::steady_clock::now() : clock_->Now()) >= *end_;
  }
  Deadline Later(std::chrono::milliseconds by) const {
    return end_.has_value() ? Deadline(*end_ + by, clock_) : *this;
  }

 private:
  std::optional<TimePoint> end_;
  const DeadlineClock* clock_ = nullptr;
};

inline constexpr Deadline kNoDeadline;

inline bool IsPast(const Deadline& deadline) {
  return deadline.IsPast();
}

// For work in steps that cost less than a look at the clock: looks before the first one, then once
// for so much work. Belongs to one thread; the deadline must outlive it.
class DeadlineWatch {
 public:
  static constexpr uint64_t kWorkPerLook = 4096;  // of about 10 ns

  explicit DeadlineWatch(const Deadline& deadline) : deadline_(deadline) {}
  explicit DeadlineWatch(const Deadline&& deadline) = delete;

  // Before a step of about so much work: whether it is too late for it. Once it is, it stays so.
  bool IsOver(uint64_t work) {
    if (work_left_ > work) {
      work_left_ -= work;
    } else {
      work_left_ = kWorkPerLook;
      is_over_ = is_over_ || IsPast(deadline_);
    }
    return is_over_;
  }
  bool is_over() const { return is_over_; }

 private:
  const Deadline& deadline_;
  uint64_t work_left_ = 0;
  bool is_over_ = false;
};

}  // namespace pmdex
