// Counts durations in buckets that grow with them, so that a quantile is right within 4 % whatever
// its size, in 12 KiB. For one thread.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace pmdex {

class LagHistogram {
 public:
  void Add(std::chrono::nanoseconds lag);

  uint64_t count() const { return count_; }
  std::chrono::microseconds max() const { return std::chrono::microseconds(max_us_); }
  // The least duration that so large a part of them does not exceed: 0.99 for p99. 0 if there are
  // none. Rounded up to the end of its bucket, but not above max().
  std::chrono::microseconds Quantile(double part) const;

 private:
  // Durations below kLinear microseconds have buckets of their own; above, each power of two has
  // kLinear / 2 buckets.
  static constexpr uint64_t kLinear = 64;
  static constexpr int kLinearBits = 6;

  static size_t BucketOf(uint64_t microseconds);
  static uint64_t LastOf(size_t bucket);

  std::array<uint64_t, kLinear + (64 - kLinearBits)* kLinear / 2> counts_ = {};
  uint64_t count_ = 0;
  uint64_t max_us_ = 0;
};

}  // namespace pmdex
