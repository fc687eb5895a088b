#include "tools/profile/phase_counts.h"

#include <algorithm>

#include "tools/profile/code_phases.h"

namespace pmdex {

void PhaseCounts::Add(const std::string& query_class, const std::string& function, uint64_t count) {
  if (count == 0) return;
  stacks_[{query_class, std::string(PhaseOfFunction(function)), function}] += count;
}

void PhaseCounts::SetPhases(ProfiledConfiguration& result) const {
  std::map<std::string_view, uint64_t> all;
  std::map<std::string_view, std::map<std::string_view, uint64_t>> by_class;
  for (const auto& [stack, count] : stacks_) {
    all[stack[1]] += count;
    by_class[stack[0]][stack[1]] += count;
    result.samples += count;
  }
  result.phases = SharesOf(all);
  result.stacks = stacks_;
  for (QueryGroup& group : result.classes) {
    const auto found = by_class.find(group.name);
    if (found != by_class.end()) group.phases = SharesOf(found->second);
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
