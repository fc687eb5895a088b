// Compares and copies short strings, such as terms and ids, in registers. Calls of memcpy and
// memcmp would cost more than their work. A 16-byte load would also wait until smaller stores to
// these bytes have left the core. No function reads behind the bytes it is given. Pure;
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

// The length of the longest common prefix of a and b.
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

// Sixteen bytes as two words; zeros stand behind the last byte.
struct PaddedBytes {
  uint64_t first = 0;
  uint64_t second = 0;
};
// Requires at most sixteen bytes. Sizes that are no word are made of two loads that overlap.
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
