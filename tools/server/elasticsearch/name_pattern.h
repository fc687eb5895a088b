// Patterns of names in which `*` stands for any run of characters: of indexes, fields and keys.
// Stateless.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace pmdex {

// True if the whole name matches. Takes at most pattern.size() * name.size() steps.
inline bool MatchesNamePattern(std::string_view pattern, std::string_view name) {
  size_t p = 0;
  size_t n = 0;
  size_t star = pattern.npos;  // the last star that was passed
  size_t resume = 0;           // where the name goes on when that star takes one character more
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (star != pattern.npos) {
      p = star + 1;
      n = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

// True if the whole name matches one of the patterns.
inline bool MatchesAnyNamePattern(const std::vector<std::string>& patterns, std::string_view name) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return MatchesNamePattern(pattern, name); });
}

}  // namespace pmdex
