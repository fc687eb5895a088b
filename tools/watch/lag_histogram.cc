#include "tools/watch/lag_histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace pmdex {

size_t LagHistogram::BucketOf(uint64_t microseconds) {
  if (microseconds < kLinear) return microseconds;
  const int shift = std::bit_width(microseconds) - kLinearBits;  // at least 1
  const uint64_t mantissa = microseconds >> shift;               // from kLinear / 2 on
  return kLinear + static_cast<size_t>(shift - 1) * kLinear / 2 + (mantissa - kLinear / 2);
}

uint64_t LagHistogram::LastOf(size_t bucket) {
  if (bucket < kLinear) return bucket;
  const size_t above = bucket - kLinear;
  const auto shift = static_cast<int>(above / (kLinear / 2)) + 1;
  const uint64_t mantissa = kLinear / 2 + above % (kLinear / 2);
  return ((mantissa + 1) << shift) - 1;
}

void LagHistogram::Add(std::chrono::nanoseconds lag) {
  const auto whole = std::chrono::duration_cast<std::chrono::microseconds>(lag).count();
  const uint64_t microseconds = whole < 0 ? 0 : static_cast<uint64_t>(whole);
  ++counts_[BucketOf(microseconds)];
  ++count_;
  max_us_ = std::max(max_us_, microseconds);
}

std::chrono::microseconds LagHistogram::Quantile(double part) const {
  const auto wanted = static_cast<uint64_t>(std::ceil(part * static_cast<double>(count_)));
  uint64_t below = 0;
  for (size_t bucket = 0; bucket < counts_.size() && count_ > 0; ++bucket) {
    below += counts_[bucket];
    if (below >= std::max<uint64_t>(wanted, 1)) {
      return std::chrono::microseconds(std::min(LastOf(bucket), max_us_));
    }
  }
  return max();
}

}  // namespace pmdex
