// Backslashes in a query: `\x` is the character x, whatever else that would mean, and `\u0041` the
// one with this number in UTF-16, of four hexadecimal digits; characters beyond these have two
// such escapes, as in Java. Stateless.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace pmdex {

// Bytes of the escape that the text begins with, the backslash included; 0 when it is none: the
// text ends too early, or hexadecimal digits are missing. Requires text[0] == '\\'.
size_t EscapeBytes(std::string_view text);

// The text with its escapes resolved. Requires that all are escapes.
std::string Unescape(std::string_view text);
// The same of the numbers alone, which become escaped characters: for patterns, whose other escapes
// are read later.
std::string UnescapeNumbers(std::string_view text);

}  // namespace pmdex
