// Text whose invalid UTF-8 is replaced, for consumers that accept nothing else.
#pragma once

#include <string>
#include <string_view>

namespace pmdex {

// Each maximal invalid part becomes one U+FFFD, as the Unicode Standard recommends (chapter 3.9,
// "U+FFFD Substitution of Maximal Subparts").
std::string ReplaceInvalidUtf8(std::string_view text);

}  // namespace pmdex
