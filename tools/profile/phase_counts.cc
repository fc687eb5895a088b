#include "tools/profile/phase_counts.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "tools/profile/code_phases.h"

namespace pmdex {

std::vector<std::string> StackOn(const std::string& row, std::vector<std::string> functions) {
  std::vector<std::string> stack = {row};
  // The search is where stacks begin (sampled_pass.cc), not a function whose callers are not known.
  if (functions.size() == 1 && functions[0] != "Searcher::Search") {
    stack.emplace_back(PhaseOfFunction(functions[0]));
  }
  std::move(functions.begin(), functions.end(), std::back_inserter(stack));
  return stack;
}

void PhaseCounts::Add(const std::string& query_class, std::vector<std::string> functions,
                      uint64_t count) {
  if (count == 0) return;
  by_class_[query_class][PhaseOfStack(functions)] += count;
  stacks_[StackOn(query_class, std::move(functions))] += count;
}

void PhaseCounts::SetPhases(ProfiledConfiguration& result) const {
  std::map<std::string_view, uint64_t> all;
  for (const auto& [query_class, by_phase] : by_class_) {
    for (const auto& [phase, count] : by_phase) {
      all[phase] += count;
      result.samples += count;
    }
  }
  result.phases = SharesOf(all);
  result.stacks = stacks_;
  for (QueryGroup& group : result.classes) {
    const auto found = by_class_.find(group.name);
    if (found != by_class_.end()) group.phases = SharesOf(found->second);
  }
}

std::vector<PhaseShare> SharesOf(const std::map<std::string_view, uint64_t>& by_phase) {
  uint64_t sum = 0;
  for (const auto& [phase, count] : by_phase) sum += count;
  std::vector<PhaseShare> shares;
  for (const std::string_view name : PhaseNames()) {
    const auto found = by_phase.find(name);
    if (found == by_phase.end() || found->second == 0) continue;
    shares.push_back({std::string(name), found->second,
                      static_cast<double>(found->second) / static_cast<double>(sum)});
  }
  return shares;
}

}  // namespace pmdex
