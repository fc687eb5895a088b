// How many bytes an answer may still have, and until when it may be written. An answer is made in
// memory as a whole, so that without a bound a small request could take all of it. Not thread-safe.
#pragma once

#include <cstdint>

#include "pmem/status.h"
#include "query/deadline.h"

namespace pmdex {

class AnswerBudget {
 public:
  AnswerBudget(uint64_t bytes, const Deadline& deadline)
      : bytes_(bytes), bytes_left_(bytes), deadline_(deadline) {}

  // To be called before so many bytes are written. False if they must not be, as in every call
  // after that.
  bool Take(uint64_t bytes);
  // kOutOfRange once the bytes were not enough, or kDeadlineExceeded.
  const absl::Status& status() const { return status_; }

 private:
  const uint64_t bytes_;
  uint64_t bytes_left_;
  const Deadline deadline_;
  absl::Status status_;
};

}  // namespace pmdex
