// A regular expression as automata over characters: first one with choices, state by state what
// the tree says (Thompson's construction), then a deterministic one without. A complement or an
// intersection is made of deterministic ones on the way.
//
// Expressions can ask for more states than there is memory. What is built is charged to a budget;
// once it is used up, what was built so far means nothing and nothing more is built.
//
// Internal to RegexpAutomaton (regexp_automaton.h). Thread-safe: no state.
#pragma once

#include <cstdint>
#include <vector>

#include "query/language/regexp_tree.h"

namespace pmdex {

class RegexpBudget {
 public:
  explicit RegexpBudget(uint64_t steps) : steps_(steps) {}

  // False once more was spent than there is.
  bool Spend(uint64_t steps) {
    is_spent_ = is_spent_ || steps > steps_;
    if (!is_spent_) steps_ -= steps;
    return !is_spent_;
  }
  bool is_spent() const { return is_spent_; }

 private:
  uint64_t steps_;
  bool is_spent_ = false;
};

// Deterministic: a character leads to at most one state. State 0 is the first.
struct RegexpDfa {
  struct Edge {
    uint32_t first = 0;  // characters [first, last]
    uint32_t last = 0;
    uint32_t to = 0;
  };
  struct State {
    std::vector<Edge> edges;  // ascending, apart from one another
    bool accepts = false;
  };
  std::vector<State> states;
};

// Without states from which nothing can be accepted any more, but for the first one. Empty when the
// budget was not enough.
RegexpDfa BuildRegexpDfa(const RegexpTree& tree, RegexpBudget& budget);

}  // namespace pmdex
