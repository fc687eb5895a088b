// The kernel that compares the values of a column with a range (QueryKernels::scan_range), once for
// each instruction set. Stateless, thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pmdex {

// n unsigned numbers of value_bytes (1, 2, 4 or 8) each, and a range of them. Up to 64 bytes behind
// the last one are readable. Requires low <= high, and that both fit into value_bytes.
struct RangeScan {
  const std::byte* lane = nullptr;
  uint32_t value_bytes = 0;
  uint32_t n = 0;
  uint64_t low = 0;
  uint64_t high = 0;
};

// mask: bit i becomes 1 if value i is in [low, high]. ceil(n / 64) words; the bits from n on become
// 0.
void ScanRangeScalar(const RangeScan& scan, uint64_t* mask);
void ScanRangeAvx2(const RangeScan& scan, uint64_t* mask);    // requires CpuFeatures::avx2
void ScanRangeAvx512(const RangeScan& scan, uint64_t* mask);  // requires CpuFeatures::avx512

}  // namespace pmdex
