// The checks of `pmdex doctor` that are about the machine and not about PATH: persistent memory,
// CXL, NUMA, CPU, counters and limits. Pure.
#pragma once

#include <vector>

#include "tools/doctor_facts.h"

namespace pmdex {

std::vector<DoctorCheck> DiagnoseMachine(const DoctorFacts& facts);

}  // namespace pmdex
