// Adds up by class, phase and function where queries were: samples of the CPU clock, or simulated
// instructions. For one thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tools/profile/profile_result.h"

namespace pmdex {

class PhaseCounts {
 public:
  void Add(const std::string& query_class, const std::string& function, uint64_t count);

  // Sets samples, phases and stacks of the result, and the phases of its classes. A stack is the
  // class, the phase and the function.
  void SetPhases(ProfiledConfiguration& result) const;

 private:
  FoldedStacks stacks_;
};

// The shares of the phases that have a count, in the order of PhaseNames().
std::vector<PhaseShare> SharesOf(const std::map<std::string_view, uint64_t>& by_phase);

}  // namespace pmdex
