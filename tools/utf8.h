// Finds the ends of characters in text that may not be valid UTF-8. Stateless, thread-safe.
#pragma once

#include <cstddef>
#include <string_view>

namespace pmdex {

struct Utf8Prefix {
  size_t size_bytes;  // of the character or the ill-formed part
  bool valid;
};

// The first character of the text, or the maximal ill-formed subpart (Unicode 15, table 3-7).
// Requires a non-empty text.
Utf8Prefix ScanUtf8(std::string_view text);

}  // namespace pmdex
