// The checks of doctor_checks.h that are about the machine and not about PATH: persistent memory,
// CXL, NUMA, CPU, hardware counters and limits.
#pragma once

#include <vector>

#include "tools/doctor_facts.h"

namespace pmdex {

std::vector<DoctorCheck> DiagnoseMachine(const DoctorFacts& facts);

}  // namespace pmdex
