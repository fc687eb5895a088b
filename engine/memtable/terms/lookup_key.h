// A term of a field in the form in which the memtable's table compares it, and its hash. It is made
// once for each token; all but long terms stay in registers. The two words of a key equal the first
// sixteen bytes of an entry of the table (term_entry.h). Pure functions. A key views the term.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engine/analysis/token.h"
#include "engine/memtable/terms/term_entry.h"
#include "engine/segment/format.h"
#include "pmem/check.h"
#include "pmem/short_bytes.h"

namespace pmdex {

static_assert(kInlineEntryTermBytes <= kReadableTermBytes);

inline constexpr int kTagShift = 32;        // where the tag begins in LookupKey::rest_and_tag
inline constexpr int kTermBytesShift = 16;  // where the size begins in the tag, behind the field

// Equals a TermHead, except for `rest` of a long term.
struct LookupKey {
  uint64_t head;
  uint64_t rest_and_tag;  // TermHead's rest, field and term_bytes
  const char* bytes;
  uint32_t hash;

  size_t term_bytes() const { return rest_and_tag >> (kTagShift + kTermBytesShift); }
};

namespace lookup_key_internal {

// The bits of the first twelve bytes that belong to a term of n bytes.
struct InlineMask {
  uint64_t head;
  uint64_t rest;
};
inline constexpr std::array<InlineMask, kInlineEntryTermBytes + 1> kInlineMasks = [] {
  std::array<InlineMask, kInlineEntryTermBytes + 1> masks{};
  for (size_t n = 0; n <= kInlineEntryTermBytes; ++n) {
    masks[n].head = n >= 8 ? ~uint64_t{0} : (uint64_t{1} << 8 * n) - 1;
    masks[n].rest = n <= 8 ? 0 : (uint64_t{1} << 8 * (n - 8)) - 1;
  }
  return masks;
}();

// The multiply-and-fold step of wyhash (Wang Yi).
inline uint64_t Mix(uint64_t a, uint64_t b) {
  const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

// The hash of a term of more than 32 bytes.
uint64_t HashLongTerm(std::string_view term, uint64_t seed);

// Combines all bytes of a term of 13 bytes or more into one number.
inline uint64_t FoldTerm(const char* bytes, size_t size, uint64_t seed) {
  if (size < 16) {
    return Mix(LoadWord<uint64_t>(bytes) ^ seed,
               LoadWord<uint64_t>(bytes + size - 8) ^ 0xa0761d6478bd642fu);
  }
  if (size > 32) return HashLongTerm({bytes, size}, seed);
  const char* const last = bytes + size - 16;
  return Mix(LoadWord<uint64_t>(bytes) ^ seed,
             LoadWord<uint64_t>(bytes + 8) ^ 0xa0761d6478bd642fu) ^
         Mix(LoadWord<uint64_t>(last) ^ 0x8bb84b93962eacc9u, LoadWord<uint64_t>(last + 8) ^ seed);
}

}  // namespace lookup_key_internal

// Requires a term of 1..255 bytes, kReadableTermBytes of them readable.
inline LookupKey MakeLookupKey(uint64_t seed, FieldId field, std::string_view term) {
  using namespace lookup_key_internal;
  PMDEX_DCHECK(!term.empty() && term.size() <= 255);
  const uint64_t tag = uint64_t{field} | term.size() << kTermBytesShift;
  const InlineMask mask = kInlineMasks[std::min(term.size(), kInlineEntryTermBytes)];
  const uint64_t head = LoadWord<uint64_t>(term.data()) & mask.head;
  const uint64_t rest_and_tag =
      (LoadWord<uint64_t>(term.data() + 8) & mask.rest) | tag << kTagShift;
  uint64_t hash;
  if (term.size() <= kInlineEntryTermBytes) [[likely]] {
    hash = Mix(head ^ seed, 0xa0761d6478bd642fu ^ rest_and_tag);
  } else {
    hash = Mix(FoldTerm(term.data(), term.size(), seed ^ tag) ^ 0xe7037ed1a0b428dbu,
               seed ^ 0x8ebc6af09c88c6e3u);
  }
  return {head, rest_and_tag, term.data(), static_cast<uint32_t>(hash)};
}

}  // namespace pmdex
