// Replaces invalid UTF-8, for consumers that accept only valid text.
#pragma once

#include <string>
#include <string_view>

namespace pmdex {

// Replaces each maximal invalid part by one U+FFFD, as the Unicode Standard recommends
// (chapter 3.9, "U+FFFD Substitution of Maximal Subparts").
std::string ReplaceInvalidUtf8(std::string_view text);

}  // namespace pmdex
