// Decides whether a term matches a wildcard or a fuzzy word. Compiled once per query and asked once
// per term. Characters are code points. For one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pmdex {

// `*` matches any run of characters, `?` one character; `\` makes the next one literal.
class WildcardPattern {
 public:
  explicit WildcardPattern(std::string_view pattern);

  // Every match begins with these bytes, so a walk of the dictionary can start and stop there.
  const std::string& literal_prefix() const { return literal_prefix_; }
  // Characters of ASCII that every match contains.
  std::string RequiredCharacters() const;
  bool Matches(std::string_view term) const;

 private:
  struct Piece {
    enum class Kind { kLiteral, kOne, kAny } kind;
    std::string literal;  // a run of characters, as long as the pattern has it
    // The literal can be searched for byte by byte, because it does not begin with a stray byte.
    bool is_searchable = false;
  };

  void Append(Piece::Kind kind, std::string_view character);
  size_t FindAfterStar(size_t star_piece, std::string_view term, size_t from) const;

  std::vector<Piece> pieces_;
  std::string literal_prefix_;
};

// Matches terms within a number of edits. An edit inserts, deletes or replaces one character, or
// swaps two neighbours. Distances are those of optimal string alignment: no part of the word is
// edited twice.
class FuzzyPattern {
 public:
  FuzzyPattern(std::string_view text, uint32_t edits);

  // The distance between the word and the term; nullopt if it exceeds the allowed edits.
  std::optional<uint32_t> Distance(std::string_view term);
  // 1 - distance / length of the shorter text in characters, as in Lucene. Below 0 if the distance
  // exceeds that length. Requires that `distance` is what Distance(term) returned.
  float Similarity(std::string_view term, uint32_t distance) const;

 private:
  std::vector<uint32_t> text_;
  uint32_t edits_;
  std::vector<uint32_t> term_;                 // scratch
  std::vector<uint32_t> before_, last_, row_;  // scratch: rows of the alignment
};

}  // namespace pmdex
