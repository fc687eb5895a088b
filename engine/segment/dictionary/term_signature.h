// The signature of a term says how long the term is and which characters occur in it. From two
// signatures follows how many edits it takes at least to turn one term into the other. A search for
// the terms that are near a word therefore reads 4 bytes of each term, and all bytes of few terms.
// Also the layout of kTermSignatures, which docs/FORMAT.md describes. Stateless, thread-safe.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <string_view>

#include "engine/segment/format.h"

namespace pmdex {

// Bits 0 to 4: the number of characters (code_points.h), at most kMaxSignatureLength. Bit
// kSignatureLengthBits + c: whether a character of class c occurs, of kSignatureClasses classes.
using TermSignature = uint32_t;
inline constexpr int kSignatureLengthBits = 5;
inline constexpr TermSignature kMaxSignatureLength = (1u << kSignatureLengthBits) - 1;
inline constexpr uint32_t kSignatureClasses = 32 - kSignatureLengthBits;

// An element of kTermSignatures. It belongs to the term block of the same number. Behind the last
// term of a block there are zeros.
struct BlockSignatures {
  TermSignature of_term[kTermsPerBlock];
};
static_assert(sizeof(BlockSignatures) == 64);

TermSignature SignatureOf(std::string_view term);

// The bits of the classes of the text's characters, without a length.
inline TermSignature ClassesOf(std::string_view text) {
  return SignatureOf(text) & ~kMaxSignatureLength;
}

// The same of characters, numbered as in code_points.h.
TermSignature ClassesOf(std::span<const uint32_t> characters);

// A lower bound of the edits that turn a string with one signature into one with the other. An edit
// inserts, removes or replaces a character, or swaps two neighbours.
//
// Say that b is longer than a by d characters, and that e edits turn a into b. Each edit removes at
// most one class of characters and adds at most one. Edits that insert remove none, and at least d
// of them insert. So at most e - d classes of a can be missing in b; and likewise with a and b
// exchanged. Lengths that are cut off differ by less than d, which only weakens the bound.
inline int LeastEdits(TermSignature a, TermSignature b) {
  const int longer =
      static_cast<int>(b & kMaxSignatureLength) - static_cast<int>(a & kMaxSignatureLength);
  const int missing = std::popcount((a & ~b) >> kSignatureLengthBits);
  const int added = std::popcount((b & ~a) >> kSignatureLengthBits);
  return std::max(missing + std::max(longer, 0), added + std::max(-longer, 0));
}

}  // namespace pmdex
