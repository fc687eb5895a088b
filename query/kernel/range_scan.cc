#include "query/kernel/range_scan.h"

#include <cstring>

namespace pmdex {
namespace {

template <typename T>
void Scan(const RangeScan& scan, uint64_t* mask) {
  for (uint32_t i = 0; i < (scan.n + 63) / 64; ++i) mask[i] = 0;
  for (uint32_t i = 0; i < scan.n; ++i) {
    T value;
    std::memcpy(&value, scan.lane + size_t{i} * sizeof(T), sizeof(T));
    const bool is_in = scan.low <= value && value <= scan.high;
    mask[i / 64] |= uint64_t{is_in} << (i % 64);
  }
}

}  // namespace

void ScanRangeScalar(const RangeScan& scan, uint64_t* mask) {
  switch (scan.value_bytes) {
    case 1:
      return Scan<uint8_t>(scan, mask);
    case 2:
      return Scan<uint16_t>(scan, mask);
    case 4:
      return Scan<uint32_t>(scan, mask);
    default:
      return Scan<uint64_t>(scan, mask);
  }
}

}  // namespace pmdex
