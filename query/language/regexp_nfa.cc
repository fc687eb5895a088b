#include "query/language/regexp_nfa.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

namespace pmdex {
namespace {

using Edge = RegexpDfa::Edge;

// A nondeterministic automaton: a character may lead to several states, and epsilon edges read no
// character.
class Nfa {
 public:
  explicit Nfa(RegexpBudget& budget) : budget_(budget) {}

  // Adds the states of the tree between a new start state (0) and a new accepting state (last_).
  void Build(const RegexpTree& tree) {
    const uint32_t first = NewState();
    last_ = NewState();
    Add(tree, first, last_);
  }
  RegexpDfa Determinize() const;

 private:
  struct State {
    std::vector<Edge> edges;
    std::vector<uint32_t> epsilon;  // states that are reached without reading a character
  };
  using Set = std::vector<uint32_t>;  // of states, ascending

  uint32_t NewState() {
    if (budget_.Spend(4)) states_.emplace_back();
    return states_.empty() ? 0 : static_cast<uint32_t>(states_.size() - 1);
  }
  void Join(uint32_t from, uint32_t to) {
    if (budget_.Spend(1)) states_[from].epsilon.push_back(to);
  }
  void Read(uint32_t from, CharacterRange range, uint32_t to) {
    if (budget_.Spend(1)) states_[from].edges.push_back({range.first, range.last, to});
  }

  void Add(const RegexpTree& tree, uint32_t from, uint32_t to);
  void AddRepetition(const RegexpTree& tree, uint32_t from, uint32_t to);
  void AddInterval(const RegexpTree& tree, uint32_t from, uint32_t to);
  void AddDfa(const RegexpDfa& dfa, uint32_t from, uint32_t to);
  Set Closure(Set states) const;
  std::vector<std::pair<CharacterRange, Set>> Steps(const Set& states) const;

  RegexpBudget& budget_;
  std::vector<State> states_;
  uint32_t last_ = 0;
};

// Accepts what `dfa` rejects and the reverse. Characters without an edge now lead to a new state,
// which accepts.
RegexpDfa Complement(RegexpDfa dfa, RegexpBudget& budget) {
  const auto rest = static_cast<uint32_t>(dfa.states.size());
  dfa.states.emplace_back();
  for (RegexpDfa::State& state : dfa.states) {
    state.accepts = !state.accepts;
    std::vector<Edge> edges;
    uint32_t next = kAnyCharacter.first;
    for (const Edge& edge : state.edges) {
      if (edge.first > next) edges.push_back({next, edge.first - 1, rest});
      edges.push_back(edge);
      next = edge.last + 1;
    }
    if (next <= kAnyCharacter.last) edges.push_back({next, kAnyCharacter.last, rest});
    budget.Spend(edges.size());
    state.edges = std::move(edges);
  }
  return dfa;
}

RegexpDfa Intersection(const RegexpDfa& a, const RegexpDfa& b, RegexpBudget& budget) {
  RegexpDfa both;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> numbers;
  std::vector<std::pair<uint32_t, uint32_t>> pairs;
  const auto number_of = [&](uint32_t left, uint32_t right) {
    const auto [entry, is_new] =
        numbers.try_emplace({left, right}, static_cast<uint32_t>(pairs.size()));
    if (is_new) pairs.emplace_back(left, right);
    return entry->second;
  };
  number_of(0, 0);
  for (size_t i = 0; i < pairs.size() && budget.Spend(8); ++i) {
    const RegexpDfa::State& left = a.states[pairs[i].first];
    const RegexpDfa::State& right = b.states[pairs[i].second];
    RegexpDfa::State state;
    state.accepts = left.accepts && right.accepts;
    auto x = left.edges.begin();
    auto y = right.edges.begin();
    while (x != left.edges.end() && y != right.edges.end()) {
      const uint32_t first = std::max(x->first, y->first);
      const uint32_t last = std::min(x->last, y->last);
      if (first <= last) state.edges.push_back({first, last, number_of(x->to, y->to)});
      ++(x->last < y->last ? x : y);
      budget.Spend(1);
    }
    both.states.push_back(std::move(state));
  }
  return both;
}

// Drops the states from which no accepting state can be reached. The start state always stays.
RegexpDfa Trimmed(const RegexpDfa& dfa) {
  std::vector<std::vector<uint32_t>> before(dfa.states.size());
  std::vector<bool> lives(dfa.states.size());
  std::vector<uint32_t> left;
  for (uint32_t i = 0; i < dfa.states.size(); ++i) {
    for (const Edge& edge : dfa.states[i].edges) before[edge.to].push_back(i);
    if (dfa.states[i].accepts) left.push_back(i);
    lives[i] = dfa.states[i].accepts;
  }
  while (!left.empty()) {
    const uint32_t state = left.back();
    left.pop_back();
    for (const uint32_t from : before[state]) {
      if (lives[from]) continue;
      lives[from] = true;
      left.push_back(from);
    }
  }
  std::vector<uint32_t> numbers(dfa.states.size());
  uint32_t count = 0;
  for (uint32_t i = 0; i < dfa.states.size(); ++i) {
    if (lives[i] || i == 0) numbers[i] = count++;
  }
  RegexpDfa trimmed;
  for (uint32_t i = 0; i < dfa.states.size(); ++i) {
    if (!lives[i] && i != 0) continue;
    RegexpDfa::State& state = trimmed.states.emplace_back();
    state.accepts = dfa.states[i].accepts;
    for (Edge edge : dfa.states[i].edges) {
      if (!lives[edge.to]) continue;
      edge.to = numbers[edge.to];
      state.edges.push_back(edge);
    }
  }
  return trimmed;
}

RegexpDfa IntersectionOf(const std::vector<RegexpTree>& parts, RegexpBudget& budget) {
  RegexpDfa all = BuildRegexpDfa(parts[0], budget);
  for (size_t i = 1; i < parts.size() && !budget.is_spent(); ++i) {
    const RegexpDfa part = BuildRegexpDfa(parts[i], budget);
    if (!budget.is_spent()) all = Intersection(all, part, budget);
  }
  return all;
}

// Adds the states of the tree between `from` and `to`. A part that loops gets states of its own:
// through `from` or `to` a string could otherwise switch from one branch of a union to another.
void Nfa::Add(const RegexpTree& tree, uint32_t from, uint32_t to) {
  if (!budget_.Spend(1)) return;
  switch (tree.kind) {
    case RegexpKind::kNothing:
      return;
    case RegexpKind::kCharacter:
      for (const CharacterRange& range : tree.ranges) Read(from, range, to);
      return;
    case RegexpKind::kConcatenation:
      for (const RegexpTree& part : tree.parts) {
        const uint32_t next = NewState();
        Add(part, from, next);
        from = next;
      }
      return Join(from, to);
    case RegexpKind::kUnion:
      for (const RegexpTree& part : tree.parts) Add(part, from, to);
      return;
    case RegexpKind::kRepetition:
      return AddRepetition(tree, from, to);
    case RegexpKind::kInterval:
      return AddInterval(tree, from, to);
    case RegexpKind::kComplement: {
      RegexpDfa part = BuildRegexpDfa(tree.parts[0], budget_);
      if (!budget_.is_spent()) AddDfa(Complement(std::move(part), budget_), from, to);
      return;
    }
    case RegexpKind::kIntersection: {
      const RegexpDfa all = IntersectionOf(tree.parts, budget_);
      if (!budget_.is_spent()) AddDfa(all, from, to);
      return;
    }
  }
}

void Nfa::AddRepetition(const RegexpTree& tree, uint32_t from, uint32_t to) {
  const RegexpTree& part = tree.parts[0];
  uint32_t at = NewState();
  Join(from, at);
  for (uint32_t i = 0; i < tree.least && !budget_.is_spent(); ++i) {
    const uint32_t next = NewState();
    Add(part, at, next);
    at = next;
  }
  Join(at, to);
  if (tree.most == RegexpTree::kUnlimited) {
    const uint32_t loop = NewState();
    Join(at, loop);
    Add(part, loop, loop);
    return Join(loop, to);
  }
  for (uint32_t i = tree.least; i < tree.most && !budget_.is_spent(); ++i) {
    const uint32_t next = NewState();
    Add(part, at, next);
    at = next;
    Join(at, to);
  }
}

// Adds an automaton that reads a number digit by digit. Its state says whether the digits so far
// are greater than those of the least number, and whether they are less than those of the greatest.
void Nfa::AddInterval(const RegexpTree& tree, uint32_t from, uint32_t to) {
  std::string most = std::to_string(tree.most);
  if (most.size() < tree.digits) most.insert(0, tree.digits - most.size(), '0');
  std::string least = std::to_string(tree.least);
  least.insert(0, most.size() - least.size(), '0');
  const uint32_t begin = NewState();
  Join(from, begin);
  if (tree.digits == 0) Read(begin, {'0', '0'}, begin);
  // Indexed by [is above the least][is below the greatest]; 0: this state is not reachable.
  std::array<std::array<uint32_t, 2>, 2> states{};
  states[0][0] = begin;
  bool only_zeros = true;  // the least number has had only zeros so far, which may be left out
  for (size_t i = 0; i < most.size() && !budget_.is_spent(); ++i) {
    std::array<std::array<uint32_t, 2>, 2> next{};
    for (const size_t above : {0, 1}) {
      for (const size_t below : {0, 1}) {
        if (states[above][below] == 0) continue;
        const char low = above == 1 ? '0' : least[i];
        const char high = below == 1 ? '9' : most[i];
        for (char digit = low; digit <= high; ++digit) {
          const size_t is_above = above == 1 || digit > low ? 1 : 0;
          const size_t is_below = below == 1 || digit < high ? 1 : 0;
          uint32_t& target = next[is_above][is_below];
          const bool is_last = i + 1 == most.size();
          if (target == 0) target = is_last ? to : NewState();
          const auto character = static_cast<uint32_t>(static_cast<unsigned char>(digit));
          Read(states[above][below], {character, character}, target);
        }
      }
    }
    states = next;
    only_zeros = only_zeros && least[i] == '0';
    // A number with fewer digits begins here, as if the missing digits before it were zeros. The
    // greatest number does not begin with a zero, so that such a number is below it.
    if (tree.digits == 0 && only_zeros && i + 1 < most.size() && !budget_.is_spent()) {
      Join(begin, states[0][1]);
    }
  }
}

void Nfa::AddDfa(const RegexpDfa& dfa, uint32_t from, uint32_t to) {
  std::vector<uint32_t> numbers;
  for (size_t i = 0; i < dfa.states.size(); ++i) numbers.push_back(NewState());
  if (budget_.is_spent()) return;
  Join(from, numbers[0]);
  for (size_t i = 0; i < dfa.states.size(); ++i) {
    for (const Edge& edge : dfa.states[i].edges) {
      Read(numbers[i], {edge.first, edge.last}, numbers[edge.to]);
    }
    if (dfa.states[i].accepts) Join(numbers[i], to);
  }
}

// The epsilon closure: the states and all that are reached from them without reading a character.
// States that neither read a character nor accept are left out, because they make no difference.
Nfa::Set Nfa::Closure(Set states) const {
  std::sort(states.begin(), states.end());
  states.erase(std::unique(states.begin(), states.end()), states.end());
  Set all = std::move(states);
  Set left = all;
  std::vector<bool> seen(states_.size());
  for (const uint32_t state : all) seen[state] = true;
  budget_.Spend(states_.size() / 64);
  while (!left.empty() && budget_.Spend(1)) {
    const uint32_t state = left.back();
    left.pop_back();
    for (const uint32_t to : states_[state].epsilon) {
      if (seen[to]) continue;
      seen[to] = true;
      all.push_back(to);
      left.push_back(to);
    }
  }
  std::erase_if(all,
                [this](uint32_t state) { return states_[state].edges.empty() && state != last_; });
  std::sort(all.begin(), all.end());
  return all;
}

// Divides the characters into ranges whose members all lead to the same states, and returns these
// states for each range. Characters that lead nowhere are left out.
std::vector<std::pair<CharacterRange, Nfa::Set>> Nfa::Steps(const Set& states) const {
  std::vector<Edge> edges;
  for (const uint32_t state : states) {
    edges.insert(edges.end(), states_[state].edges.begin(), states_[state].edges.end());
  }
  std::vector<std::pair<CharacterRange, Set>> steps;
  if (!budget_.Spend(2 * edges.size())) return steps;
  std::vector<uint32_t> borders;
  for (const Edge& edge : edges) {
    borders.push_back(edge.first);
    borders.push_back(edge.last + 1);
  }
  std::sort(borders.begin(), borders.end());
  borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
  std::sort(edges.begin(), edges.end(),
            [](const Edge& a, const Edge& b) { return a.first < b.first; });
  std::vector<Edge> open;
  auto next = edges.begin();
  for (size_t i = 0; i + 1 < borders.size(); ++i) {
    std::erase_if(open, [&](const Edge& edge) { return edge.last < borders[i]; });
    for (; next != edges.end() && next->first == borders[i]; ++next) open.push_back(*next);
    if (!budget_.Spend(1 + open.size())) return steps;
    if (open.empty()) continue;
    Set targets;
    for (const Edge& edge : open) targets.push_back(edge.to);
    steps.emplace_back(CharacterRange{borders[i], borders[i + 1] - 1}, std::move(targets));
  }
  return steps;
}

// The subset construction.
RegexpDfa Nfa::Determinize() const {
  RegexpDfa dfa;
  if (budget_.is_spent()) return dfa;
  std::map<Set, uint32_t> numbers;
  std::vector<const Set*> sets;  // keys of numbers
  const auto number_of = [&](Set states) {
    const auto [entry, is_new] =
        numbers.try_emplace(Closure(std::move(states)), static_cast<uint32_t>(sets.size()));
    if (is_new) sets.push_back(&entry->first);
    return entry->second;
  };
  number_of({0});
  for (size_t i = 0; i < sets.size() && budget_.Spend(4 + sets[i]->size()); ++i) {
    RegexpDfa::State state;
    state.accepts = std::binary_search(sets[i]->begin(), sets[i]->end(), last_);
    for (auto& [range, targets] : Steps(*sets[i])) {
      const uint32_t to = number_of(std::move(targets));
      if (!state.edges.empty() && state.edges.back().to == to &&
          state.edges.back().last + 1 == range.first) {
        state.edges.back().last = range.last;
      } else {
        state.edges.push_back({range.first, range.last, to});
      }
    }
    dfa.states.push_back(std::move(state));
  }
  return dfa;
}

}  // namespace

RegexpDfa BuildRegexpDfa(const RegexpTree& tree, RegexpBudget& budget) {
  Nfa nfa(budget);
  nfa.Build(tree);
  const RegexpDfa dfa = nfa.Determinize();
  return budget.is_spent() ? RegexpDfa() : Trimmed(dfa);
}

}  // namespace pmdex
