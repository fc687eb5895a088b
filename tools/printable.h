// Text of others (names, queries, field names) for a line that a person reads on a terminal: it can
// neither begin a new line nor give the terminal orders. JSON has rules of its own (json_writer.h).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace pmdex {

// Control characters (U+0000 to U+001F, U+007F to U+009F) and bytes that are no UTF-8 become \n,
// \t, \r, or \x and two hexadecimal digits a byte; all else stays as it is, backslashes included.
std::string Printable(std::string_view text);

// The same of as much of the text as fits into `most_characters` characters, with "..." at the end
// when that is not all of it. Takes time in proportion to the result.
std::string PrintableHead(std::string_view text, size_t most_characters);

// One space for each control character and each part that is no UTF-8: nothing moves.
std::string BlankControls(std::string_view text);

// `label` and the message, printable, in at most 300 characters. Where it has to be cut, a hint at
// its end, "(hint: ...)", stays. The label is printable already.
std::string MessageLine(std::string_view label, std::string_view message);
inline constexpr size_t kMostMessageCharacters = 300;

// How much of a query a message repeats, at most.
inline constexpr size_t kMostQueryCharacters = 200;

}  // namespace pmdex
