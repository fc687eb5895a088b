// Until when a query may go on. Algorithms look at it between windows or runs of documents,
// expansions between terms.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace pmdex {

using Deadline = std::optional<std::chrono::steady_clock::time_point>;  // nullopt: for ever
inline constexpr Deadline kNoDeadline = std::nullopt;

inline bool IsPast(const Deadline& deadline) {
  return deadline.has_value() && std::chrono::steady_clock::now() >= *deadline;
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
