// Backslash escapes in a query. `\x` is the character x without its special meaning. `\u0041` is a
// UTF-16 code unit of four hexadecimal digits; a character beyond U+FFFF takes two of them, as in
// Java. Stateless, thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace pmdex {

// The size in bytes of the escape that the text begins with, backslash included. 0 if it is not a
// valid escape: the text ends too early, or hexadecimal digits are missing. Requires
// text[0] == '\\'.
size_t EscapeBytes(std::string_view text);

// The text with its escapes resolved. Requires that every backslash begins a valid escape.
std::string Unescape(std::string_view text);
// Replaces only the `\uXXXX` escapes, each by a backslash and the character. For patterns, whose
// remaining escapes are resolved later. Requires that every backslash begins a valid escape.
std::string UnescapeNumbers(std::string_view text);

}  // namespace pmdex
