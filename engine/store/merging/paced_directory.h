// A directory whose files are written at a bounded rate, for merges beside searches. All other
// calls go to the directory that it stands for. Thread-safe; files share the rate.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"

#include "pmem/directory.h"
#include "pmem/mutex.h"

namespace pmdex {

// Lets so many bytes pass a second: a caller that is ahead of that waits.
class Pacer {
 public:
  using Clock = std::chrono::steady_clock;
  // The clock and how to wait, which tests replace.
  struct Time {
    std::function<Clock::time_point()> now;
    std::function<void(Clock::duration)> wait;
    static Time Real();
  };

  // stop: nobody waits any more once it returns true; may be empty. Requires a rate above 0.
  Pacer(uint64_t bytes_per_second, std::function<bool()> stop, Time time = Time::Real());

  // Waits until so many more bytes may have been written.
  void Spend(uint64_t bytes);

 private:
  const double bytes_per_second_;
  const std::function<bool()> stop_;
  const Time time_;
  Mutex mutex_;
  Clock::time_point free_at_ ABSL_GUARDED_BY(mutex_);  // when all bytes so far may be written
};

// The directory must outlive the result, and so must its other directories (OpenElsewhere).
std::unique_ptr<Directory> NewPacedDirectory(Directory& directory, std::shared_ptr<Pacer> pacer);

}  // namespace pmdex
