// Text reduced to words on which the tokenizers of pmdex, Lucene and Tantivy agree.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace pmdex {

// Appends the text. Keeps ASCII letters and digits; each run of other characters becomes one space.
// Words that are longer than what pmdex and Lucene take as one are cut, because Tantivy would not
// cut them.
inline void AppendPlainWords(std::string_view text, std::string& out) {
  constexpr size_t kLongestWord = 255;
  size_t letters = 0;  // of the word so far
  bool space = true;
  for (const char c : text) {
    const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (word && letters == kLongestWord) {
      out += ' ';
      letters = 0;
    }
    if (word) out += c;
    if (!word && !space) out += ' ';
    letters = word ? letters + 1 : 0;
    space = !word;
  }
}

}  // namespace pmdex
