// The time at which a query must stop. All code that answers a query checks it regularly: search
// algorithms between windows, leaves and runs of documents, expansions between terms, and the
// look-up of ids between batches of hits. Code that finds the deadline past stops and tells its
// caller.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "pmem/status.h"

namespace pmdex {

// The source of the time, which tests replace. Thread-safe.
class DeadlineClock {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  virtual ~DeadlineClock() = default;
  virtual TimePoint Now() const = 0;
};

// A plain value; without a time point it is never past. The clock must outlive it; nullptr is the
// steady clock.
class Deadline {
 public:
  using TimePoint = DeadlineClock::TimePoint;

  constexpr Deadline() = default;
  constexpr Deadline(std::nullopt_t) {}  // never past
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

// What stops work that has no part to give when the deadline comes.
inline absl::Status DeadlineError() {
  return MakeStatus(absl::StatusCode::kDeadlineExceeded, "the deadline came first");
}

// Checks a deadline for work whose steps cost less than reading the clock: it reads the clock
// before the first step, and then once per kWorkPerLook units of work. For one thread. The deadline
// must outlive it.
class DeadlineWatch {
 public:
  static constexpr uint64_t kWorkPerLook = 4096;  // units of about 10 ns

  explicit DeadlineWatch(const Deadline& deadline) : deadline_(deadline) {}
  explicit DeadlineWatch(const Deadline&& deadline) = delete;

  // To be called before a step of about `work` units. True if the deadline is past, and in every
  // call after that.
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
