// How much space a directory allocates for a new file (Directory::Create).
#pragma once

#include <cstdint>

#include "pmem/directory.h"

namespace pmdex {

// Whole pages, at least one; from kHugePageBytes on whole huge pages, so that the kernel can map
// the file with them. An index gets many files of some hundred bytes, for which the kernel would
// zero 2 MiB and free them again. Requires that the sum with kHugePageBytes fits.
constexpr uint64_t AllocatedBytes(uint64_t wanted_bytes) {
  constexpr uint64_t kSmallPageBytes = 4096;
  const uint64_t unit = wanted_bytes < kHugePageBytes ? kSmallPageBytes : kHugePageBytes;
  return wanted_bytes == 0 ? unit : (wanted_bytes + unit - 1) / unit * unit;
}

}  // namespace pmdex
