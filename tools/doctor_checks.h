// The checks of `pmdex doctor`: they judge facts and put them into words. They are pure functions,
// so that a test can describe any machine by its facts.
#pragma once

#include <string>
#include <vector>

#include "tools/doctor_facts.h"

namespace pmdex {

// Returns the checks of PATH and then those of DiagnoseMachine.
std::vector<DoctorCheck> DiagnoseDoctorFacts(const DoctorFacts& facts);

// The last line of the text: what the user gets at this path.
std::string DoctorSummary(const DoctorFacts& facts, const std::vector<DoctorCheck>& checks);

}  // namespace pmdex
