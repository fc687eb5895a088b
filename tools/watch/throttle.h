// Spares the programs that write: bounds how much of a CPU the watcher takes, or how many files it
// reads a second. After each batch it says how long to wait before the next one. Clocks are passed
// in. Plain values.
#pragma once

#include <chrono>
#include <cstdint>
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

 private:
  double cpu_share_ = 0;         // 0: any
  double files_per_second_ = 0;  // 0: any
};

}  // namespace pmdex
