// Which terms of a dictionary a wildcard or a fuzzy word stands for. Compiled once a query, asked
// once a term. Characters are code points. Belongs to one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pmdex {

// `*` any run of characters, `?` one character, `\` takes the next one literally.
class WildcardPattern {
 public:
  explicit WildcardPattern(std::string_view pattern);

  // Every match begins with these bytes: where the walk of the dictionary starts and stops.
  const std::string& literal_prefix() const { return literal_prefix_; }
  bool Matches(std::string_view term) const;

 private:
  struct Piece {
    enum class Kind { kLiteral, kOne, kAny } kind;
    std::string literal;  // a run of characters, as long as the pattern has it
    // Found among bytes it is found among characters: it does not begin with a byte that is none.
    bool is_searchable = false;
  };

  void Append(Piece::Kind kind, std::string_view character);
  size_t FindAfterStar(size_t star_piece, std::string_view term, size_t from) const;

  std::vector<Piece> pieces_;
  std::string literal_prefix_;
};

// Terms within a number of edits: insert, delete, replace one character, or swap two neighbours
// (optimal string alignment: no part is edited twice).
class FuzzyPattern {
 public:
  FuzzyPattern(std::string_view text, uint32_t edits);

  // The distance when it is at most the allowed number of edits.
  std::optional<uint32_t> Distance(std::string_view term);
  // 1 - distance / the shorter length in characters, as in Lucene; below 0 where more is edited
  // than there is. term: one for which Distance gave `distance`.
  float Similarity(std::string_view term, uint32_t distance) const;

 private:
  std::vector<uint32_t> text_;
  uint32_t edits_;
  std::vector<uint32_t> term_;                 // scratch
  std::vector<uint32_t> before_, last_, row_;  // scratch: rows of the alignment
};

}  // namespace pmdex
