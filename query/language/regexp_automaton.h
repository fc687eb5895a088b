// A regular expression compiled to a deterministic automaton that reads one character at a time.
// A walk of a sorted dictionary can therefore read the common prefix of neighbouring terms once and
// skip ranges that cannot match. regexp_parser.h describes the syntax. The expression must match
// the whole string.
//
// Immutable, thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "query/language/regexp_nfa.h"
#include "query/language/regexp_parser.h"

namespace pmdex {

class RegexpAutomaton {
 public:
  using State = uint32_t;
  static constexpr State kDead = 0xffffffff;  // no string with this prefix matches

  // The budget for compiling all expressions of one query: a few milliseconds, enough for thousands
  // of states.
  static constexpr uint64_t kStepsPerQuery = 200'000;

  // Returns nullptr and fills in `problem` if the expression is wrong or the budget is too small.
  static std::shared_ptr<const RegexpAutomaton> Compile(std::string_view text, RegexpBudget& budget,
                                                        RegexpProblem& problem);

  State start() const { return 0; }
  // The state after one more character (code_points.h). Requires state != kDead.
  State Step(State state, uint32_t character) const;
  // True if the characters read so far match. From every other live state some string leads to a
  // match, unless the expression matches no string at all.
  bool Accepts(State state) const { return dfa_.states[state].accepts; }
  // The first character >= from for which Step does not return kDead; nullopt if there is none.
  std::optional<uint32_t> FirstFrom(State state, uint32_t from) const;
  // True if Step does not return kDead for at least one stray byte (code_points.h).
  bool TakesStrayBytes(State state) const;

  bool Matches(std::string_view text) const;

  // What every match begins with, or the begin of it.
  std::string LiteralPrefix() const;
  // RequiredCharacters of the expression.
  std::span<const uint32_t> required_characters() const { return required_characters_; }

 private:
  RegexpAutomaton(RegexpDfa dfa, std::vector<uint32_t> required_characters)
      : dfa_(std::move(dfa)), required_characters_(std::move(required_characters)) {}

  RegexpDfa dfa_;
  std::vector<uint32_t> required_characters_;
};

}  // namespace pmdex
