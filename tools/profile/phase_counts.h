// Adds up by class, phase and calls where queries were: samples of the CPU clock, or simulated
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
  // functions: the outermost caller first, the function that ran last; not empty. PhaseOfStack
  // tells the phase, which stands in the place of callers if the function is alone.
  void Add(const std::string& query_class, std::vector<std::string> functions, uint64_t count);

  // Sets samples, phases and stacks of the result, and the phases of its classes. A stack is the
  // class and the functions, or the class, the phase and the function.
  void SetPhases(ProfiledConfiguration& result) const;

 private:
  FoldedStacks stacks_;
  std::map<std::string, std::map<std::string_view, uint64_t>> by_class_;  // and phase
};

// A row of a flame graph and what stands on it: the functions, the outermost first; a function
// without known callers stands on its phase.
std::vector<std::string> StackOn(const std::string& row, std::vector<std::string> functions);

// The shares of the phases that have a count, in the order of PhaseNames().
std::vector<PhaseShare> SharesOf(const std::map<std::string_view, uint64_t>& by_phase);

}  // namespace pmdex
