// A deterministic automaton that accepts the strings within 0, 1 or 2 edits of a word. It reads one
// character at a time. A walk of a sorted dictionary can therefore read the common prefix of
// neighbouring terms once and skip ranges that cannot match. Edits are counted as FuzzyPattern
// (term_pattern.h) counts them (optimal string alignment); tests compare the two.
//
// Algorithm: the universal Levenshtein automaton of Mihov and Schulz ("Fast approximate search in
// large dictionaries", Computational Linguistics 30, 2004). After j characters, only the alignments
// with the first j - edits ... j + edits characters of the word matter, and a step only needs to
// know which characters of the word around there equal the one read. So one table of states serves
// every word. A table is made by a search from the first row of the alignment table, once per
// process.
//
// Immutable, thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace pmdex {

struct EditTable;

class FuzzyAutomaton {
 public:
  using State = uint16_t;
  static constexpr State kDead = 0;   // no string with this prefix is near enough
  static constexpr State kStart = 1;  // nothing is read yet
  static constexpr uint32_t kMaxEdits = 2;
  static constexpr uint32_t kNoCharacter = 0xffffffff;  // equals no character

  // Characters are numbered as in code_points.h. Requires edits <= kMaxEdits.
  FuzzyAutomaton(std::string_view text, uint32_t edits);

  // In all functions, depth is the number of characters that were read to reach `state`.

  // The state after one more character. Requires state != kDead.
  State Step(State state, size_t depth, uint32_t character) const;
  // The distance between the word and the characters read; nullopt if it exceeds the edits.
  std::optional<uint32_t> Distance(State state, size_t depth) const;
  // The distance between the word and `text`; nullopt if it exceeds the edits.
  std::optional<uint32_t> DistanceOf(std::string_view text) const;
  // A character, and the state after it.
  struct Move {
    uint32_t character = 0;
    State state = kDead;
  };
  // The smallest character >= from of the word with which Step does not return kDead; nullopt if
  // there is none. Step returns the same state for all characters that are not in the word.
  std::optional<Move> LeastMove(State state, size_t depth, uint32_t from) const;
  // True if Step does not return kDead for the characters that are not in the word.
  bool TakesOthers(State state, size_t depth) const { return Advance(state, depth, 0) != kDead; }
  // True if the word contains stray bytes (code_points.h).
  bool has_stray_bytes() const { return has_stray_bytes_; }

 private:
  // A character of the word near a depth, and which characters of the word there equal it.
  struct Choice {
    uint32_t character = 0;
    uint32_t equal = 0;
  };

  void FindChoices();
  uint32_t EqualAt(size_t depth, uint32_t character) const;
  State Advance(State state, size_t depth, uint32_t equal) const;

  const EditTable& table_;
  size_t edits_;
  size_t size_ = 0;             // characters of the word
  std::vector<uint32_t> text_;  // these, with kNoCharacter before and after them
  // By depth, and ascending by character. choice_starts_: where those of a depth begin, and the
  // end.
  std::vector<Choice> choices_;
  std::vector<size_t> choice_starts_;
  bool has_stray_bytes_ = false;
};

}  // namespace pmdex
