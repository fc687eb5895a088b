#include "query/language/regexp_automaton.h"

#include <algorithm>
#include <utility>

#include "engine/analysis/code_points.h"
#include "query/language/required_characters.h"

namespace pmdex {

std::shared_ptr<const RegexpAutomaton> RegexpAutomaton::Compile(std::string_view text,
                                                                RegexpBudget& budget,
                                                                RegexpProblem& problem) {
  const std::optional<RegexpTree> tree = ParseRegexp(text, problem);
  if (!tree.has_value()) return nullptr;
  RegexpDfa dfa = BuildRegexpDfa(*tree, budget);
  if (budget.is_spent()) {
    problem = {0, "the regular expressions of the query need too many states"};
    return nullptr;
  }
  return std::shared_ptr<const RegexpAutomaton>(
      new RegexpAutomaton(std::move(dfa), RequiredCharacters(*tree)));
}

RegexpAutomaton::State RegexpAutomaton::Step(State state, uint32_t character) const {
  const auto& edges = dfa_.states[state].edges;
  const auto edge = std::partition_point(
      edges.begin(), edges.end(),
      [&](const RegexpDfa::Edge& candidate) { return candidate.last < character; });
  return edge != edges.end() && edge->first <= character ? edge->to : kDead;
}

std::optional<uint32_t> RegexpAutomaton::FirstFrom(State state, uint32_t from) const {
  const auto& edges = dfa_.states[state].edges;
  const auto edge =
      std::partition_point(edges.begin(), edges.end(),
                           [&](const RegexpDfa::Edge& candidate) { return candidate.last < from; });
  if (edge == edges.end()) return std::nullopt;
  return std::max(edge->first, from);
}

bool RegexpAutomaton::TakesStrayBytes(State state) const {
  const auto& edges = dfa_.states[state].edges;
  return !edges.empty() && IsStrayByte(edges.back().last);
}

bool RegexpAutomaton::Matches(std::string_view text) const {
  State state = start();
  while (!text.empty()) {
    const size_t size_bytes = CodePointBytes(text);
    state = Step(state, DecodeCodePoint(text, size_bytes));
    if (state == kDead) return false;
    text.remove_prefix(size_bytes);
  }
  return Accepts(state);
}

std::string RegexpAutomaton::LiteralPrefix() const {
  constexpr size_t kMostBytes = 256;
  std::string prefix;
  State state = start();
  while (prefix.size() < kMostBytes && !Accepts(state) && !TakesStrayBytes(state)) {
    const std::optional<uint32_t> only = FirstFrom(state, 0);
    if (!only.has_value() || FirstFrom(state, *only + 1).has_value()) break;
    AppendCodePoint(*only, prefix);
    state = Step(state, *only);
  }
  return prefix;
}

}  // namespace pmdex
