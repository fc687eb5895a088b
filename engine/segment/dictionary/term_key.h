// How a term becomes the key of an entry, shared by the dictionary's writer and its reader: short
// terms are their own key, long ones are known by their hash and an offset to their bytes. Pure;
// thread-safe.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "engine/segment/format.h"
#include "pmem/short_bytes.h"

namespace pmdex {

// XXH3-64 of the bytes with a seed: the hash half of a long term's key.
uint64_t HashTermBytes(uint64_t seed, std::string_view term);
// The same term hashes differently in every field.
uint64_t MixField(uint64_t term_hash, FieldId field);
// The entry where the search for a term begins.
uint64_t HomeBucket(uint64_t hash, uint32_t home_bucket_count);

class TermKey {
 public:
  TermKey(std::string_view term, uint64_t term_hash)
      : long_(term.size() > kInlineTermBytes),
        words_(long_ ? PaddedBytes{term_hash} : LoadPadded(term)) {}

  // Whether the entry may hold the term, its length being the same: certain for short terms.
  bool Matches(const DictionaryEntry& entry) const {
    uint64_t key[2];
    std::memcpy(key, entry.key, sizeof(key));
    return key[0] == words_.first && (long_ || key[1] == words_.second);
  }
  // offset: of a long term's bytes in kTermBytes.
  void Store(uint64_t offset, DictionaryEntry& entry) const {
    const uint64_t key[2] = {words_.first, long_ ? offset : words_.second};
    std::memcpy(entry.key, key, sizeof(key));
  }

 private:
  const bool long_;
  const PaddedBytes words_;
};

inline uint64_t LongTermOffset(const DictionaryEntry& entry) {
  uint64_t offset = 0;
  std::memcpy(&offset, entry.key + sizeof(uint64_t), sizeof(offset));
  return offset;
}

}  // namespace pmdex
