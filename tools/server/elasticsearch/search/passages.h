// Cuts a text into passages around its matches and chooses the best of them, as Lucene's unified
// highlighter does: passages are sentences, joined or cut so that they come near a size, and they
// score by BM25 with the text in place of the index. Sentences end at . ? ! and at line ends.
// Positions count characters. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace pmdex {

struct PassageMatch {
  size_t begin = 0;
  size_t end = 0;
  uint32_t word = 0;  // equal for equal words, and for all words that one pattern matches
};

struct Passage {
  size_t begin = 0;
  size_t end = 0;
  std::vector<PassageMatch> matches;
  float score = 0;
};

// A text as characters, with the numbers of its matches in all texts of the field.
struct PassageText {
  std::span<const uint32_t> characters;
  size_t offset = 0;      // of the text in all texts of the field
  size_t all_length = 0;  // of all texts of the field
};

// The passages that hold the matches, in the order of the text. matches: ascending. size: of a
// passage; 0: each sentence is one; nullopt: the text is one. frequencies: of each word in all
// texts of the field.
std::vector<Passage> PassagesOf(const PassageText& text, std::span<const PassageMatch> matches,
                                std::span<const uint32_t> frequencies, std::optional<size_t> size);

// The end of a passage of about `size` characters from the beginning of the text, at the border of
// a word.
size_t LeadEnd(std::span<const uint32_t> characters, size_t size);

}  // namespace pmdex
