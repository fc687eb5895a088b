#include "tools/utf8.h"

#include <cstdint>

namespace pmdex {
namespace {

uint8_t Utf8ByteAt(std::string_view text, size_t i) {
  return static_cast<uint8_t>(text[i]);
}

// True if `second` may follow `first`. The bounds exclude overlong forms, surrogates and values
// above U+10FFFF (Unicode 15, table 3-7).
bool SecondByteFits(uint8_t first, uint8_t second) {
  uint8_t low = 0x80;
  uint8_t high = 0xBF;
  if (first == 0xE0) low = 0xA0;
  if (first == 0xED) high = 0x9F;
  if (first == 0xF0) low = 0x90;
  if (first == 0xF4) high = 0x8F;
  return second >= low && second <= high;
}

}  // namespace

Utf8Prefix ScanUtf8(std::string_view text) {
  const uint8_t first = Utf8ByteAt(text, 0);
  if (first < 0x80) return {1, true};
  size_t length = 0;
  if (first >= 0xC2 && first <= 0xDF) length = 2;
  if (first >= 0xE0 && first <= 0xEF) length = 3;
  if (first >= 0xF0 && first <= 0xF4) length = 4;
  if (length == 0) return {1, false};
  if (text.size() < 2 || !SecondByteFits(first, Utf8ByteAt(text, 1))) return {1, false};
  for (size_t i = 2; i < length; ++i) {
    if (i >= text.size() || (Utf8ByteAt(text, i) & 0xC0) != 0x80) return {i, false};
  }
  return {length, true};
}

}  // namespace pmdex
