#include <immintrin.h>

#include <bit>
#include <cstring>

#include "pmem/byte_search.h"

namespace pmdex {

// Compares the first and the last byte of the part with those of 32 places at once, and the bytes
// between them only where both are right. (Mula, "SIMD-friendly algorithms for substring
// searching", 2016.)
size_t FindBytesAvx2(std::string_view text, std::string_view part, size_t from) {
  constexpr size_t kPlaces = 32;
  const size_t last = part.size() - 1;
  const __m256i first_byte = _mm256_set1_epi8(part.front());
  const __m256i last_byte = _mm256_set1_epi8(part.back());
  const auto load = [&](size_t at) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text.data() + at));
  };
  for (; from + last + kPlaces <= text.size(); from += kPlaces) {
    const __m256i equal = _mm256_and_si256(_mm256_cmpeq_epi8(load(from), first_byte),
                                           _mm256_cmpeq_epi8(load(from + last), last_byte));
    auto places = static_cast<uint32_t>(_mm256_movemask_epi8(equal));
    for (; places != 0; places &= places - 1) {
      const size_t at = from + static_cast<size_t>(std::countr_zero(places));
      if (std::memcmp(text.data() + at, part.data(), last) == 0) return at;
    }
  }
  return text.find(part, from);
}

}  // namespace pmdex
