// Finds a phrase of a query in analysed text, as Lucene's highlighter does. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace pmdex {

// A word of a text, with its characters [begin, end).
struct HighlightToken {
  std::string term;
  uint32_t position = 0;
  size_t begin = 0;
  size_t end = 0;
};

struct HighlightPhrase {
  std::vector<std::string> terms;
  std::vector<uint32_t> offsets;  // the position of each term relative to the first
  uint32_t slop = 0;
  bool last_is_prefix = false;

  // True if the term is the word with this number, counted from 0.
  bool HasWord(size_t word, const std::string& term) const;
};

// Sets found[i] for each token i of a place where the phrase stands. Without slop the words stand
// at their offsets. With slop they stand in any order and other words between them, as many as the
// slop and the gaps of the phrase: Lucene's NearSpansUnordered. found: as many as tokens; `tokens`
// have ascending positions.
void MarkPhrase(const HighlightPhrase& phrase, const std::vector<HighlightToken>& tokens,
                std::vector<bool>& found);

}  // namespace pmdex
