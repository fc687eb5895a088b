#include <immintrin.h>

#include <cstring>

#include "pmem/checksum.h"

namespace pmdex {

uint32_t Crc32cSse42(uint32_t crc, std::span<const std::byte> bytes) {
  const std::byte* p = bytes.data();
  size_t left = bytes.size();
  uint64_t state = static_cast<uint32_t>(~crc);
  for (; left >= 8; left -= 8, p += 8) {
    uint64_t word;
    std::memcpy(&word, p, sizeof(word));
    state = _mm_crc32_u64(state, word);
  }
  auto narrow = static_cast<uint32_t>(state);
  for (; left > 0; --left, ++p) narrow = _mm_crc32_u8(narrow, static_cast<uint8_t>(*p));
  return ~narrow;
}

}  // namespace pmdex
