// Finds the words of a query in analysed text. It looks at the query tree, not at the index: a
// pattern is tried on each word of the text. Prohibited clauses are ignored. For one thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "query/language/query.h"
#include "tools/server/elasticsearch/search/highlight_phrase.h"

namespace pmdex {

// A place where a word of the query stands: the index of its token, and the term, or a name of the
// pattern that matches it, which no term has.
struct FoundWord {
  size_t token = 0;
  std::string_view word;
};

// How often each word of the query occurs in the texts of a field.
using WordFrequencies = std::map<std::string, uint32_t, std::less<>>;

class HighlightWords {
 public:
  explicit HighlightWords(const Query& query);
  ~HighlightWords();

  // The places of the words that the query has in this field, by ascending token; a token may stand
  // for a word and for patterns. As in Lucene, all that one pattern matches is one word, and so are
  // the terms of a `terms` query. Words of a phrase count where they stand in its order, or in any
  // order near enough for its slop; their frequencies are those of all places. Adds to frequencies.
  // The tokens and this must outlive the result.
  std::vector<FoundWord> Find(std::string_view field, const std::vector<HighlightToken>& tokens,
                              WordFrequencies& frequencies) const;
  // The same with the words of the query in any field.
  std::vector<FoundWord> FindOfAnyField(const std::vector<HighlightToken>& tokens,
                                        WordFrequencies& frequencies) const;

 private:
  class Pattern;
  struct FieldWords {
    std::set<std::string, std::less<>> terms;
    std::map<std::string, std::unique_ptr<Pattern>> patterns;  // by their names
    std::vector<HighlightPhrase> phrases;
  };

  using FieldSpan = std::span<const FieldWords* const>;

  void Collect(const Query& query);
  static bool IsInPhrases(FieldSpan fields, const std::string& term);
  static std::vector<FoundWord> FindIn(FieldSpan fields, const std::vector<HighlightToken>& tokens,
                                       WordFrequencies& frequencies);

  std::map<std::string, FieldWords, std::less<>> fields_;
};

}  // namespace pmdex
