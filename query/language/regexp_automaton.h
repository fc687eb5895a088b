// Which strings a regular expression matches, as a deterministic automaton that reads one character
// after the other: so that a walk of a sorted dictionary reads what neighbours share once and
// leaves out what cannot match. The syntax is in regexp_parser.h; a match is of the whole string.
//
// Immutable, thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "query/language/regexp_nfa.h"
#include "query/language/regexp_parser.h"

namespace pmdex {

class RegexpAutomaton {
 public:
  using State = uint32_t;
  static constexpr State kDead = 0xffffffff;  // nothing that begins like this matches

  // What the expressions of one query may cost together, a few milliseconds: enough for thousands
  // of states.
  static constexpr uint64_t kStepsPerQuery = 200'000;

  // nullptr: see problem; so too when the budget is not enough.
  static std::shared_ptr<const RegexpAutomaton> Compile(std::string_view text, RegexpBudget& budget,
                                                        RegexpProblem& problem);

  State start() const { return 0; }
  // After one more character (code_points.h). Requires a state that is not dead.
  State Step(State state, uint32_t character) const;
  // Whether what was read matches. From a state that does not, some string leads to one that does,
  // unless the expression matches nothing at all.
  bool Accepts(State state) const { return dfa_.states[state].accepts; }
  // The first character >= from with which Step lives on.
  std::optional<uint32_t> FirstFrom(State state, uint32_t from) const;
  // Whether Step lives on with some bytes that are no UTF-8.
  bool TakesStrayBytes(State state) const;

  bool Matches(std::string_view text) const;

 private:
  explicit RegexpAutomaton(RegexpDfa dfa) : dfa_(std::move(dfa)) {}

  RegexpDfa dfa_;
};

}  // namespace pmdex
