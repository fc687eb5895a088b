#include "engine/segment/dictionary/term_signature.h"

#include <array>
#include <cstddef>

#include "engine/analysis/code_points.h"

namespace pmdex {
namespace {

// Letters and digits by class. Most letters have a class of their own. The others, and digits,
// share one, as few terms of real text have both; docs/decisions/0017-expansions.md has the
// measurements.
constexpr std::array<std::string_view, kSignatureClasses> kClasses = {
    "x", "e", "c", "a", "t",  "d",  "r",  "f",  "l",  "i",  "n",  "p",   "o", "u",
    "s", "0", "m", "k", "j1", "b5", "g7", "v3", "z2", "y8", "h9", "q6_", "w4"};

constexpr uint32_t ClassOfOther(uint32_t character) {
  return character % kSignatureClasses;
}

constexpr TermSignature BitOfClass(uint32_t of) {
  return TermSignature{1} << (kSignatureLengthBits + of);
}

// The bit of each character of ASCII. A capital letter has that of the small one.
constexpr std::array<TermSignature, 128> kAsciiBits = [] {
  std::array<TermSignature, 128> bits{};
  for (uint32_t c = 0; c < bits.size(); ++c) bits[c] = BitOfClass(ClassOfOther(c));
  for (uint32_t of = 0; of < kSignatureClasses; ++of) {
    for (const char c : kClasses[of]) bits[static_cast<unsigned char>(c)] = BitOfClass(of);
  }
  for (size_t c = 'A'; c <= 'Z'; ++c) bits[c] = bits[c - 'A' + 'a'];
  return bits;
}();

constexpr TermSignature WithLength(TermSignature classes, size_t length) {
  return classes | static_cast<TermSignature>(std::min<size_t>(length, kMaxSignatureLength));
}

constexpr TermSignature BitOf(uint32_t character) {
  return character < kAsciiBits.size() ? kAsciiBits[character]
                                       : BitOfClass(ClassOfOther(character));
}

TermSignature SignatureOfCharacters(std::string_view term) {
  TermSignature classes = 0;
  size_t length = 0;
  for (; !term.empty(); ++length) {
    const size_t size_bytes = CodePointBytes(term);
    const uint32_t character = DecodeCodePoint(term, size_bytes);
    term.remove_prefix(size_bytes);
    classes |= BitOf(character);
  }
  return WithLength(classes, length);
}

}  // namespace

TermSignature ClassesOf(std::span<const uint32_t> characters) {
  TermSignature classes = 0;
  for (const uint32_t character : characters) classes |= BitOf(character);
  return classes;
}

TermSignature SignatureOf(std::string_view term) {
  TermSignature classes = 0;
  unsigned char all = 0;
  for (const char c : term) {
    const auto byte = static_cast<unsigned char>(c);
    all |= byte;
    classes |= kAsciiBits[byte % kAsciiBits.size()];
  }
  if (all >= kAsciiBits.size()) return SignatureOfCharacters(term);
  return WithLength(classes, term.size());
}

}  // namespace pmdex
