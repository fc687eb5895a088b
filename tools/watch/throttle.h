// Spares the programs that write: bounds how much of a CPU the watcher takes, or how many files it
// reads a second. After each batch it says how long to wait before the next one. Clocks are passed
// in. Plain values.
//
// Merges keep to a part of a CPU by a CpuPacer.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string_view>

#include "pmem/status.h"

namespace pmdex {

class Throttle {
 public:
  // "25%": at most this part of one CPU; "100/s": at most so many files a second; "": no bound.
  static absl::StatusOr<Throttle> Parse(std::string_view text);

  // How long to rest after a batch of so many files that took this time of the CPU and this time
  // altogether.
  std::chrono::nanoseconds RestAfter(uint64_t files, std::chrono::nanoseconds cpu,
                                     std::chrono::nanoseconds elapsed) const;
  // The part of a CPU that a merge may take; 0: any. A merge reads no files, so that a bound on
  // files allows it the part that reading them takes. reading: what RestAfter was told of all
  // batches so far, altogether with the rests.
  double ShareOfMerge(std::chrono::nanoseconds reading_cpu,
                      std::chrono::nanoseconds reading_elapsed) const;

 private:
  double cpu_share_ = 0;         // 0: any
  double files_per_second_ = 0;  // 0: any
};

// Keeps a thread to a part of one CPU. For that thread alone.
class CpuPacer {
 public:
  // Clocks, and how to wait, which tests replace.
  struct Time {
    std::function<std::chrono::nanoseconds()> now;
    std::function<std::chrono::nanoseconds()> cpu;  // that the thread has taken
    std::function<void(std::chrono::nanoseconds)> wait;
    static Time Real();
  };

  // share: as Throttle::ShareOfMerge. stop: nobody waits any more once it returns true.
  CpuPacer(double share, std::function<bool()> stop, Time time = Time::Real());

  // To be called often. Waits while the thread has taken more than its part since the pacer was
  // made.
  void Keep();

 private:
  const double share_;
  const std::function<bool()> stop_;
  const Time time_;
  const std::chrono::nanoseconds start_;
  const std::chrono::nanoseconds cpu_start_;
};

}  // namespace pmdex
