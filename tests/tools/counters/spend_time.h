// Work that a sampler must find, for the tests of samplers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tools/counters/cpu_sampler.h"

namespace pmdex {

// Spends CPU time.
[[gnu::noinline]] inline uint64_t SpendTime(uint64_t limit) {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < limit; ++i) {
    sum += i * i;
    asm volatile("" : "+r"(sum));
  }
  return sum;
}

// How many of the samples are in it.
inline size_t CountInSpendTime(const std::vector<CpuSample>& samples) {
  const auto begin = reinterpret_cast<uint64_t>(&SpendTime);
  return static_cast<size_t>(
      std::count_if(samples.begin(), samples.end(), [begin](const CpuSample& sample) {
        return sample.address >= begin && sample.address < begin + 256;
      }));
}

}  // namespace pmdex
