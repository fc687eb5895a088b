// What the vector kernels of word_kernel.h share: the step from the classes of 64 bytes to the
// words among them, and the loop over a text. Only word_kernel_avx2.cc and word_kernel_avx512.cc
// include this header, after their intrinsics. Everything here has internal linkage, because each
// of the two compiles a copy for its own instruction set, which no other code may call.
//
// A chunk begins at a word border. If no byte of the chunk shows that its last word is complete,
// that word is left to the next chunk, which then begins there. So no word crosses chunks, and
// nothing is carried from one chunk to the next.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/analysis/ascii_rules.h"
#include "engine/analysis/token_batch.h"

namespace pmdex {
namespace {

inline constexpr size_t kChunkBytes = TokenCursor::kChunkBytes;

// Bit i of a mask stands for byte i of the chunk. Where non_ascii has a bit, the other masks are
// undefined.
struct ChunkClasses {
  uint64_t letters = 0;
  uint64_t digits = 0;
  uint64_t underscores = 0;
  uint64_t mid_letters = 0;
  uint64_t mid_digits = 0;
  uint64_t non_ascii = 0;
};

struct ChunkWords {
  uint64_t begins = 0;  // a bit at the first byte of each word
  uint64_t ends = 0;    // a bit behind the last byte of each; there may be bits above those
  unsigned count = 0;
  unsigned bytes = 0;  // how many bytes of the chunk are done
  bool stops = false;  // true if a kernel cannot take what follows these bytes
};

// 64 if x is 0. One instruction, where std::countr_zero takes a branch or a move more.
inline unsigned TrailingZeros(uint64_t x) {
  return static_cast<unsigned>(_tzcnt_u64(x));
}

// Drops the words that consist of underscores alone. The end of every word must be in `words`.
inline void DropUnderscores(const ChunkClasses& is, ChunkWords& words) {
  for (uint64_t rest = words.begins & is.underscores; rest != 0; rest &= rest - 1) {
    const uint64_t begin = rest & (~rest + 1);
    const uint64_t later_ends = words.ends & ~(begin - 1);
    const uint64_t end = later_ends & (~later_ends + 1);
    if (((is.letters | is.digits) & (end - begin)) == 0) {
      words.begins ^= begin;
      words.ends ^= end;
    }
  }
}

template <typename Ascii>
inline ChunkWords FindWords(const ChunkClasses& is) {
  uint64_t in_word = is.letters | is.digits | is.underscores;
  uint64_t undecided = in_word;  // last before what is not known, these leave a word open
  if constexpr (Ascii::kMidPunctuation) {
    in_word |= is.mid_letters & (is.letters << 1) & (is.letters >> 1);
    in_word |= is.mid_digits & (is.digits << 1) & (is.digits >> 1);
    undecided = in_word | ((is.mid_letters | is.mid_digits) & (in_word << 1));
  }
  const uint64_t known = ~is.non_ascii & (is.non_ascii - 1);  // the bytes before the first of them
  ChunkWords words;
  words.begins = in_word & ~(in_word << 1) & known;
  words.ends = ~in_word & (in_word << 1);
  words.bytes = is.non_ascii == 0 ? 64 : TrailingZeros(is.non_ascii);
  if ((undecided & (known ^ (known >> 1))) != 0) {  // the last known byte
    words.bytes = 63 - static_cast<unsigned>(__builtin_clzll(words.begins));
    words.begins ^= uint64_t{1} << words.bytes;
  }
  if constexpr (Ascii::kUnderscoreInWord) {
    if ((words.begins & is.underscores) != 0) [[unlikely]]
      DropUnderscores(is, words);
  }
  words.count = static_cast<unsigned>(__builtin_popcountll(words.begins));
  words.stops = is.non_ascii != 0 || words.bytes == 0;
  return words;
}

// An instruction set Isa has these types and operations:
//   Ascii                                the rules (ascii_rules.h)
//   Chunk Load(p, size)                  size (at most 64) bytes, spaces behind them
//   Classes ClassesOf(chunk)             the ByteClass bits of each byte of ASCII
//   uint64_t MaskOf(classes, is)         the bytes that have any of the ByteClass bits `is`
//   uint64_t NonAscii(chunk)             the bytes >= 0x80
//   Chunk Folded(chunk)                  'A' to 'Z' in lower case
//   void Store(chunk, out)               writes the 64 bytes
//   void Emit(words, at, begin_offset)   writes the tokens to at.token, and up to kSpareTokens more
template <typename Isa>
inline ChunkClasses Classify(const Isa& isa, const typename Isa::Chunk& chunk) {
  const auto classes = isa.ClassesOf(chunk);
  ChunkClasses is;
  is.non_ascii = isa.NonAscii(chunk);
  if constexpr (Isa::Ascii::kMidPunctuation) {
    is.letters = isa.MaskOf(classes, ByteClass::kLetter);
    is.digits = isa.MaskOf(classes, ByteClass::kDigit);
    is.underscores = isa.MaskOf(classes, ByteClass::kUnderscore);
    is.mid_letters = isa.MaskOf(classes, ByteClass::kMidLetter);
    is.mid_digits = isa.MaskOf(classes, ByteClass::kMidDigit);
  } else {
    is.letters = isa.MaskOf(classes, ByteClass::kInWord);  // FindWords does not tell them apart
  }
  return is;
}

// A kernel (word_kernel.h) of an instruction set.
template <typename Isa>
inline const char* TakeWords(TokenCursor& cursor, const char* text, const char* p,
                             const char* end) {
  const Isa isa;
  TokenCursor at = cursor;
  while (p != end && !at.full()) {
    const auto size = static_cast<size_t>(end - p);
    auto chunk = isa.Load(p, size < kChunkBytes ? size : kChunkBytes);
    const ChunkWords words = FindWords<typename Isa::Ascii>(Classify(isa, chunk));
    if constexpr (Isa::Ascii::kFoldsCase) chunk = isa.Folded(chunk);
    isa.Store(chunk, at.term);
    isa.Emit(words, at, static_cast<uint32_t>(p - text));
    at.token += words.count;
    at.position += words.count;
    at.term += words.bytes;
    p += words.bytes < size ? words.bytes : size;
    if (words.stops) break;
  }
  cursor = at;
  return p;
}

}  // namespace
}  // namespace pmdex
