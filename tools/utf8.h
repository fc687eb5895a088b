// Where characters end in text that may be no UTF-8 at all.
#pragma once

#include <cstddef>
#include <string_view>

namespace pmdex {

struct Utf8Prefix {
  size_t size_bytes;  // of the character, or of the ill-formed part in its place
  bool valid;
};

// The first character of the text, or the maximal subpart that is none (Unicode 15, table 3-7).
// Requires: text is not empty.
Utf8Prefix ScanUtf8(std::string_view text);

}  // namespace pmdex
