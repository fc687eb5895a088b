// Makes any bytes safe as text of an HTML or SVG document. Thread-safe: no state.
#pragma once

#include <string>
#include <string_view>

namespace pmdex {

// Replaces & < > " ' by entities, control characters by a space, and what is not UTF-8 by U+FFFD.
// The result is safe as the content of an element and inside a quoted attribute.
std::string EscapeHtml(std::string_view text);

}  // namespace pmdex
