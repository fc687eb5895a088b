// Which strings are within 0, 1 or 2 edits of a word: a deterministic automaton that reads one
// character after the other, so that a walk of a sorted dictionary reads what neighbours share once
// and leaves out what cannot match. Edits are those of FuzzyPattern (optimal string alignment),
// which is the oracle.
//
// After j characters only the alignments with the characters j - edits ... j + edits of the word
// matter, and all that a step asks of the character read is which of these it equals. So one table
// of states serves every word: the universal Levenshtein automaton of Mihov and Schulz ("Fast
// approximate search in large dictionaries", Computational Linguistics 30, 2004), its states found
// by search from the first row of the alignment table. Tables are made once a process.
//
// Immutable, thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace pmdex {

struct EditTable;

class FuzzyAutomaton {
 public:
  using State = uint16_t;
  static constexpr State kDead = 0;   // nothing that begins like this is near enough
  static constexpr State kStart = 1;  // nothing read
  static constexpr uint32_t kMaxEdits = 2;
  static constexpr uint32_t kNoCharacter = 0xffffffff;  // equals none

  // Characters as in code_points.h. Requires edits <= kMaxEdits.
  FuzzyAutomaton(std::string_view text, uint32_t edits);

  // The state after one more character. depth: how many were read before it. Requires a state that
  // is not dead.
  State Step(State state, size_t depth, uint32_t character) const;
  // The distance of what was read, when it is at most the number of edits.
  std::optional<uint32_t> Distance(State state, size_t depth) const;
  // The characters of the word that Step compares with; all others are alike to it.
  std::span<const uint32_t> Window(size_t depth) const;
  // Whether Step lives on when the character is none of the window.
  bool TakesOthers(State state, size_t depth) const { return Advance(state, depth, 0) != kDead; }
  // Whether the word has bytes that are no UTF-8.
  bool has_stray_bytes() const { return has_stray_bytes_; }

 private:
  State Advance(State state, size_t depth, uint32_t equal) const;

  const EditTable& table_;
  size_t edits_;
  size_t size_ = 0;             // characters of the word
  std::vector<uint32_t> text_;  // these, between characters that equal none
  bool has_stray_bytes_ = false;
};

}  // namespace pmdex
