// A pattern of find's -name and -path, as fnmatch(3) without flags: `*` also matches slashes and a
// dot in front. Names are bytes; case is that of ASCII. A plain value.
//
// A pattern is compiled to the pieces between its stars. fnmatch itself decides the few that are
// left: those with classes such as [[:digit:]], with backslashes in brackets, and those that end
// in a backslash.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/columns/column_view.h"

namespace pmdex {

class Glob {
 public:
  Glob() = default;
  Glob(std::string pattern, bool ignores_case);

  bool Matches(std::string_view text) const;
  // Sets bit i of `holds` if keyword first + i matches, for i < count, and changes no other bits.
  // Requires a run of just these keywords, and count > 0. Keywords that damaged bytes place outside
  // the run do not match.
  void MatchKeywords(const KeywordRun& run, uint64_t first, size_t count, uint64_t* holds) const;

  // What each text that matches begins with.
  const std::string& prefix() const { return prefix_; }
  // Each text that begins so matches.
  bool is_prefix() const { return is_prefix_; }
  // The prefix is the only text that matches.
  bool is_literal() const { return is_literal_; }

 private:
  // What stands between two stars. Element i matches a byte if the byte is in elements[i].
  struct Piece {
    std::vector<std::bitset<256>> elements;
    bool is_literal = true;  // each element has one byte
    std::string literal;     // the bytes of the elements, up to the first that has several
    size_t size() const { return elements.size(); }
  };
  bool Compile();
  // The bracket expression that begins here; false for those of which only fnmatch knows the end.
  bool CompileBracket(size_t& at);
  void AddByte(char byte);
  void AddElement(const std::bitset<256>& element);
  void Describe();
  static bool MatchesAt(const Piece& piece, std::string_view text, size_t at);
  // npos if the piece is nowhere in [from, end).
  static size_t Find(const Piece& piece, std::string_view text, size_t from, size_t end);
  bool MatchesPieces(std::string_view text) const;
  bool MatchesByFnmatch(std::string_view text) const;

  std::string pattern_;
  bool ignores_case_ = false;
  std::vector<Piece> pieces_;  // with a star between two of them; empty: fnmatch decides
  size_t least_size_ = 0;      // of a text that matches
  std::string prefix_;
  bool is_prefix_ = false;
  bool is_literal_ = false;
  std::string inner_;  // the longest literal piece between two stars
};

}  // namespace pmdex
