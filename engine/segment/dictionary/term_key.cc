#include "engine/segment/dictionary/term_key.h"

#define XXH_INLINE_ALL  // terms are short: the call would cost as much as the hash
#include <xxhash.h>

namespace pmdex {

uint64_t HashTermBytes(uint64_t seed, std::string_view term) {
  return XXH3_64bits_withSeed(term.data(), term.size(), seed);
}

}  // namespace pmdex
