// UTF-8 by characters, for what the query language counts in characters: columns of messages, `?`
// in a wildcard, edit distances. Bytes that are not UTF-8 count as one character each, so every
// string has a length and nothing fails. Stateless.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace pmdex {

// Bytes of the character that starts at text[0]. Requires a text that is not empty.
inline size_t CodePointBytes(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  size_t size = lead < 0x80 ? 1 : lead >= 0xf0 && lead < 0xf8 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead >= 0xf8 || (lead >= 0x80 && lead < 0xc0) || size > text.size()) return 1;
  for (size_t i = 1; i < size; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) return 1;
  }
  return size;
}

inline size_t CountCodePoints(std::string_view text) {
  size_t count = 0;
  for (; !text.empty(); text.remove_prefix(CodePointBytes(text))) ++count;
  return count;
}

// Replaces `out` by the characters of the text. A stray byte becomes a value above Unicode, so that
// it equals nothing but itself.
inline void DecodeCodePoints(std::string_view text, std::vector<uint32_t>& out) {
  out.clear();
  while (!text.empty()) {
    const size_t size = CodePointBytes(text);
    const auto lead = static_cast<unsigned char>(text[0]);
    uint32_t value = size == 1 ? lead : lead & (0xffu >> (size + 1));
    if (size == 1 && lead >= 0x80) value = 0x110000u + lead;
    for (size_t i = 1; i < size; ++i) {
      value = (value << 6) | (static_cast<unsigned char>(text[i]) & 0x3fu);
    }
    out.push_back(value);
    text.remove_prefix(size);
  }
}

}  // namespace pmdex
