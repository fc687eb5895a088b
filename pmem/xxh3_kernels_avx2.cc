// xxHash is compiled into this file once more, because Debian's archive has it for SSE2 alone.
#define XXH_INLINE_ALL
#define XXH_VECTOR XXH_AVX2
#include <xxhash.h>

#include "pmem/xxh3_kernels.h"

namespace pmdex {

uint64_t Xxh3Avx2(std::span<const std::byte> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

}  // namespace pmdex
