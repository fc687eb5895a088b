// What is done to every term and every id, a few bytes each, in registers: a call of memcpy or
// memcmp costs more than its work, and sixteen bytes that were stored in smaller pieces a moment
// ago are loaded only when all of these have left the core. Nothing beyond the bytes is read. Pure;
// thread-safe.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace pmdex {

static_assert(std::endian::native == std::endian::little, "the first byte of a word is its lowest");

template <typename T>
T LoadWord(const void* bytes) {
  T word;
  std::memcpy(&word, bytes, sizeof(word));
  return word;
}

// How many bytes both begin with.
inline size_t CountSharedBytes(std::string_view a, std::string_view b) {
  const size_t most = std::min(a.size(), b.size());
  size_t shared = 0;
  for (; shared + 8 <= most; shared += 8) {
    const uint64_t differ =
        LoadWord<uint64_t>(a.data() + shared) ^ LoadWord<uint64_t>(b.data() + shared);
    if (differ != 0) return shared + static_cast<size_t>(std::countr_zero(differ)) / 8;
  }
  while (shared < most && a[shared] == b[shared]) ++shared;
  return shared;
}

// Eight bytes and eight more, zeros behind the last one.
struct PaddedBytes {
  uint64_t first = 0;
  uint64_t second = 0;
};
// Requires at most sixteen bytes. Two loads that overlap make the odd sizes.
inline PaddedBytes LoadPadded(std::string_view bytes) {
  const char* const p = bytes.data();
  const size_t n = bytes.size();
  if (n > 8) {
    return {LoadWord<uint64_t>(p), LoadWord<uint64_t>(p + n - 8) >> 8 * (16 - n)};
  }
  if (n >= 4) {
    const uint64_t last = LoadWord<uint32_t>(p + n - 4);
    return {LoadWord<uint32_t>(p) | last << 8 * (n - 4)};
  }
  uint64_t word = 0;
  for (size_t i = 0; i < n; ++i) word |= uint64_t{static_cast<uint8_t>(p[i])} << 8 * i;
  return {word};
}

}  // namespace pmdex
