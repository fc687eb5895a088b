#include "engine/memtable/terms/lookup_key.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace pmdex::lookup_key_internal {

uint64_t HashLongTerm(std::string_view term, uint64_t seed) {
  return XXH3_64bits_withSeed(term.data(), term.size(), seed);
}

}  // namespace pmdex::lookup_key_internal
