// The part of doctor_checks.h that is about the machine and not about PATH: persistent memory, CXL,
// NUMA, CPU, counters and limits.
#pragma once

#include <vector>

#include "tools/doctor_checks.h"

namespace pmdex {

std::vector<DoctorCheck> DiagnoseMachine(const DoctorFacts& facts);

}  // namespace pmdex
