// Finds the words of a query in analysed text. It looks at the query tree, not at the index: a
// pattern is tried on each word of the text. Prohibited clauses are ignored. For one thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "query/language/query.h"

namespace pmdex {

// A word of a text, with its characters [begin, end).
struct HighlightToken {
  std::string term;
  uint32_t position = 0;
  size_t begin = 0;
  size_t end = 0;
};

class HighlightWords {
 public:
  explicit HighlightWords(const Query& query);
  ~HighlightWords();

  // For each token whether a word of the query in this field is there. A phrase counts where its
  // words stand in its order, or near enough for its slop.
  std::vector<bool> Find(std::string_view field, const std::vector<HighlightToken>& tokens) const;
  // The same with the words of the query in any field.
  std::vector<bool> FindOfAnyField(const std::vector<HighlightToken>& tokens) const;

 private:
  class WordMatcher;
  struct Phrase {
    std::vector<std::string> terms;
    std::vector<uint32_t> offsets;
    uint32_t slop = 0;
    bool last_is_prefix = false;
  };
  struct FieldWords {
    std::vector<std::unique_ptr<WordMatcher>> words;
    std::vector<Phrase> phrases;
  };

  void Collect(const Query& query);
  static void Mark(const FieldWords& words, const std::vector<HighlightToken>& tokens,
                   std::vector<bool>& found);
  static void MarkPhrase(const Phrase& phrase, const std::vector<HighlightToken>& tokens,
                         std::vector<bool>& found);

  std::map<std::string, FieldWords, std::less<>> fields_;
};

}  // namespace pmdex
