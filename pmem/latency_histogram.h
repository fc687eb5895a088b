// Counts durations in buckets, for Prometheus. Adding takes some nanoseconds. Thread-safe; a reader
// may see an addition in part.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace pmdex {

class LatencyHistogram {
 public:
  // The upper bounds of the buckets in microseconds; a last bucket takes what is longer.
  static constexpr std::array<uint64_t, 20> kBoundsUs = {
      10,      25,        50,        100,       250,        500,       1'000,
      2'500,   5'000,     10'000,    25'000,    50'000,     100'000,   250'000,
      500'000, 1'000'000, 2'500'000, 5'000'000, 10'000'000, 30'000'000};

  void Add(std::chrono::nanoseconds duration) {
    const uint64_t nanoseconds = duration.count() < 0 ? 0 : static_cast<uint64_t>(duration.count());
    size_t bucket = 0;
    while (bucket < kBoundsUs.size() && nanoseconds > kBoundsUs[bucket] * 1000) ++bucket;
    counts_[bucket].fetch_add(1, std::memory_order_relaxed);
    sum_ns_.fetch_add(nanoseconds, std::memory_order_relaxed);
  }

  uint64_t count(size_t bucket) const { return counts_[bucket].load(std::memory_order_relaxed); }
  double sum_seconds() const {
    return static_cast<double>(sum_ns_.load(std::memory_order_relaxed)) * 1e-9;
  }

 private:
  std::array<std::atomic<uint64_t>, kBoundsUs.size() + 1> counts_ = {};
  std::atomic<uint64_t> sum_ns_{0};
};

}  // namespace pmdex
