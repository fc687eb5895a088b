// The hash, key and slot of a term in the term dictionary, for its writer and its reader. The key
// of a term of up to kInlineTermBytes is the term itself. The key of a longer term is its hash and
// the offset of its bytes in kTermBytes. Pure; thread-safe.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "engine/analysis/analyzer.h"
#include "engine/segment/format.h"
#include "pmem/short_bytes.h"

namespace pmdex {

// XXH3-64 of the term's bytes with a seed. The key of a long term holds this hash.
uint64_t HashTermBytes(uint64_t seed, std::string_view term);
// Mixes the field into the result of HashTermBytes, so that a term that occurs in several fields
// does not have the same home bucket in all of them. The result is the hash that HomeBucket takes.
constexpr uint64_t MixField(uint64_t term_hash, FieldId field) {
  const uint64_t mixed =
      (term_hash ^ (field * uint64_t{0x9e3779b97f4a7c15})) * uint64_t{0xd6e8feb86659fd93};
  return mixed ^ (mixed >> 32);
}
// The number of the bucket at which the search for a term begins.
constexpr uint64_t HomeBucket(uint64_t hash, uint32_t home_bucket_count) {
  return ((hash >> 32) * home_bucket_count) >> 32;
}

// The seed of all segments that are written now. A segment says which seed its table has. A word
// that is looked up in many segments is hashed once where they have the same seed.
inline constexpr uint64_t kHashSeed = 0x3c6ef372fe94f82a;

// The fingerprint of a term in its place in a slot of a rare term, and the whole slot.
// hash: the result of MixField.
constexpr RareTermSlot RareFingerprint(uint64_t hash) {
  const uint64_t bits = hash << kRareFingerprintShift;
  return bits != 0 ? bits : uint64_t{1} << kRareFingerprintShift;
}
constexpr RareTermSlot RareSlot(uint64_t block_begin, uint32_t index, uint64_t hash) {
  return block_begin | uint64_t{index} << kRareBlockBits | RareFingerprint(hash);
}

// The key of one term.
class TermKey {
 public:
  // term_hash: the result of HashTermBytes. Only long terms need it.
  TermKey(std::string_view term, uint64_t term_hash)
      : long_(term.size() > kInlineTermBytes),
        words_(long_ ? PaddedBytes{term_hash} : LoadPadded(term)) {}

  // True if the entry has this key. Requires that the entry's term is as long as this term. A short
  // term is then the entry's term. For a long term only the hashes are equal: the caller compares
  // the bytes.
  bool Matches(const DictionaryEntry& entry) const {
    uint64_t key[2];
    std::memcpy(key, entry.key, sizeof(key));
    return key[0] == words_.first && (long_ || key[1] == words_.second);
  }
  // Writes the key into the entry. offset: where the bytes of a long term begin in kTermBytes.
  void Store(uint64_t offset, DictionaryEntry& entry) const {
    const uint64_t key[2] = {words_.first, long_ ? offset : words_.second};
    std::memcpy(entry.key, key, sizeof(key));
  }

 private:
  bool long_;
  PaddedBytes words_;
};

// A term that is looked up in one dictionary or in many. It is hashed when a dictionary first asks,
// and again only for another seed. The bytes must outlive it. For one thread.
class HashedTerm {
 public:
  explicit HashedTerm(std::string_view text) : text_(text), key_(text, 0) {}

  std::string_view text() const { return text_; }
  // False if the text cannot be a term of a dictionary.
  bool may_exist() const { return text_.size() - 1 < kMaxTokenBytes; }
  uint64_t HashFor(uint64_t seed) {  // HashTermBytes
    if (!is_hashed_ || seed != seed_) [[unlikely]] {
      hash_ = HashTermBytes(seed, text_);
      seed_ = seed;
      is_hashed_ = true;
      key_ = TermKey(text_, hash_);
    }
    return hash_;
  }
  const TermKey& key() const { return key_; }  // for the seed of the last HashFor

 private:
  std::string_view text_;
  bool is_hashed_ = false;
  uint64_t seed_ = 0;
  uint64_t hash_ = 0;
  TermKey key_;
};

// The offset that Store wrote. Requires an entry of a long term.
inline uint64_t LongTermOffset(const DictionaryEntry& entry) {
  uint64_t offset = 0;
  std::memcpy(&offset, entry.key + sizeof(uint64_t), sizeof(offset));
  return offset;
}

}  // namespace pmdex
