#include "engine/segment/dictionary/term_key.h"

#define XXH_INLINE_ALL  // terms are short: the call would cost as much as the hash
#include <xxhash.h>

namespace pmdex {

uint64_t HashTermBytes(uint64_t seed, std::string_view term) {
  return XXH3_64bits_withSeed(term.data(), term.size(), seed);
}

uint64_t MixField(uint64_t term_hash, FieldId field) {
  const uint64_t mixed =
      (term_hash ^ (field * uint64_t{0x9e3779b97f4a7c15})) * uint64_t{0xd6e8feb86659fd93};
  return mixed ^ (mixed >> 32);
}

uint64_t HashTerm(uint64_t seed, FieldId field, std::string_view term) {
  return MixField(HashTermBytes(seed, term), field);
}

uint64_t HomeBucket(uint64_t hash, uint32_t home_bucket_count) {
  return ((hash >> 32) * home_bucket_count) >> 32;
}

}  // namespace pmdex
