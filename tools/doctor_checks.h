// The wording of `pmdex doctor`: turns facts into checks. Pure functions, so that tests can write
// down the facts of any machine.
#pragma once

#include <string>
#include <vector>

#include "tools/doctor_facts.h"

namespace pmdex {

// The checks of PATH, then those of DiagnoseMachine.
std::vector<DoctorCheck> DiagnoseDoctorFacts(const DoctorFacts& facts);

// The last line of the text: what the user gets at this path.
std::string DoctorSummary(const DoctorFacts& facts, const std::vector<DoctorCheck>& checks);

}  // namespace pmdex
