// Searches in ascending arrays of docids. Thread-safe: no state.
#pragma once

#include <algorithm>
#include <cstdint>

namespace pmdex {

// The first index in [begin, end) whose value is >= target; `end` if there is none. Does not branch
// on the values.
inline uint32_t FirstFrom(const uint32_t* values, uint32_t begin, uint32_t end, uint32_t target) {
  const uint32_t* base = values + begin;
  uint32_t size = end - begin;
  while (size > 1) {
    const uint32_t half = size / 2;
    base = base[half - 1] < target ? base + half : base;
    size -= half;
  }
  const auto at = static_cast<uint32_t>(base - values);
  return size == 1 && *base < target ? at + 1 : at;
}

// As FirstFrom, but fast if the value is near the begin.
inline uint32_t Gallop(const uint32_t* values, uint32_t begin, uint32_t end, uint32_t target) {
  uint64_t step = 1;
  uint64_t low = begin;
  while (low + step <= end && values[low + step - 1] < target) {
    low += step;
    step *= 2;
  }
  return FirstFrom(values, static_cast<uint32_t>(low),
                   static_cast<uint32_t>(std::min<uint64_t>(low + step, end)), target);
}

}  // namespace pmdex
