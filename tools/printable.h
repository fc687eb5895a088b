// Makes foreign text (names, queries, field names) safe to print as part of a line on a terminal:
// it can neither begin a new line nor control the terminal. JSON has its own rules (json_writer.h).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace pmdex {

// Replaces control characters (U+0000 to U+001F, U+007F to U+009F) and bytes that are not UTF-8 by
// \n, \t, \r, or \x and two hexadecimal digits per byte. Everything else stays, backslashes, too.
std::string Printable(std::string_view text);

// The same, cut to at most `most_characters` characters, with "..." at the end if it was cut. Takes
// time in proportion to the result, not to the text.
std::string PrintableHead(std::string_view text, size_t most_characters);

// Replaces each control character and each part that is not UTF-8 by one space, so that the columns
// of the other characters stay the same.
std::string BlankControls(std::string_view text);

// The label and the message, made printable, in at most kMostMessageCharacters characters. If the
// message must be cut, a hint at its end, "(hint: ...)", stays. Requires a printable label.
std::string MessageLine(std::string_view label, std::string_view message);
inline constexpr size_t kMostMessageCharacters = 300;

// The most characters of a query that a message repeats.
inline constexpr size_t kMostQueryCharacters = 200;

}  // namespace pmdex
