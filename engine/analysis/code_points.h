// Splits UTF-8 text into characters (code points). The query language counts characters, not bytes:
// the columns in error messages, `?` in a wildcard, and edit distances. Each byte that is not valid
// UTF-8 (a "stray byte") counts as one character, so no string is refused. Stateless, thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pmdex {

// The size in bytes of the character that starts at text[0]. Overlong encodings are stray bytes, so
// the order of strings by character equals their order by byte. Requires a non-empty text.
inline size_t CodePointBytes(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0xc2 || lead > 0xf4) return 1;
  const size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (size > text.size()) return 1;
  for (size_t i = 1; i < size; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) return 1;
  }
  const auto second = static_cast<unsigned char>(text[1]);
  const bool is_shortest = (lead != 0xe0 || second >= 0xa0) && (lead != 0xf0 || second >= 0x90);
  return is_shortest && (lead != 0xf4 || second < 0x90) ? size : 1;
}

inline size_t CountCodePoints(std::string_view text) {
  size_t count = 0;
  for (; !text.empty(); text.remove_prefix(CodePointBytes(text))) ++count;
  return count;
}

// The character at the start of `text`. A stray byte becomes a value above the Unicode range, so it
// equals no real character. Requires size == CodePointBytes(text).
inline uint32_t DecodeCodePoint(std::string_view text, size_t size) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (size == 1) return lead < 0x80 ? lead : 0x110000u + lead;
  uint32_t value = lead & (0xffu >> (size + 1));
  for (size_t i = 1; i < size; ++i) {
    value = (value << 6) | (static_cast<unsigned char>(text[i]) & 0x3fu);
  }
  return value;
}
inline bool IsStrayByte(uint32_t character) {
  return character >= 0x110000u;
}

// Replaces the content of `out` with the characters of the text.
inline void DecodeCodePoints(std::string_view text, std::vector<uint32_t>& out) {
  out.clear();
  while (!text.empty()) {
    const size_t size = CodePointBytes(text);
    out.push_back(DecodeCodePoint(text, size));
    text.remove_prefix(size);
  }
}

// Appends the UTF-8 bytes of `character`. Requires that it is not a stray byte.
inline void AppendCodePoint(uint32_t character, std::string& out) {
  const auto tail = [&](int shift) {
    out += static_cast<char>(0x80 | (character >> shift & 0x3f));
  };
  if (character < 0x80) {
    out += static_cast<char>(character);
  } else if (character < 0x800) {
    out += static_cast<char>(0xc0 | character >> 6);
    tail(0);
  } else if (character < 0x10000) {
    out += static_cast<char>(0xe0 | character >> 12);
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xf0 | character >> 18);
    tail(12);
    tail(6);
    tail(0);
  }
}

}  // namespace pmdex
