// Compiles the tree of a regular expression to a deterministic automaton over characters (DFA).
// Thompson's construction makes a nondeterministic automaton (NFA), and the subset construction
// makes it deterministic. A complement or an intersection is computed on the DFAs of its parts.
//
// A short expression can need more states than fit into memory. Every step is therefore charged to
// a budget. Once the budget is spent, construction stops and the result must not be used.
//
// Internal to RegexpAutomaton (regexp_automaton.h). Stateless, thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "query/language/regexp_tree.h"

namespace pmdex {

class RegexpBudget {
 public:
  explicit RegexpBudget(uint64_t steps) : steps_(steps) {}

  // False if fewer steps are left than asked for, and in every call after that.
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

// A deterministic automaton: a character leads to at most one state. State 0 is the start.
struct RegexpDfa {
  struct Edge {
    uint32_t first = 0;  // characters [first, last]
    uint32_t last = 0;
    uint32_t to = 0;
  };
  struct State {
    std::vector<Edge> edges;  // ascending, without overlap
    bool accepts = false;
  };
  std::vector<State> states;
};

// The DFA of the tree, without states from which no accepting state can be reached (the start state
// always stays). Returns no states if the budget is too small.
RegexpDfa BuildRegexpDfa(const RegexpTree& tree, RegexpBudget& budget);

}  // namespace pmdex
