// Says why this process cannot count hardware events, and what to change. Thread-safe: no state.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "pmem/pmu_probe.h"

namespace pmdex {

// What is around the process, beside the answer of perf_event_open.
struct PmuSurroundings {
  bool has_cpu_pmu = false;  // the kernel has /sys/bus/event_source/devices/cpu
  bool is_virtual = false;   // a hypervisor runs below
  bool is_container = false;
};

enum class PmuCause {
  kNone,        // counters work
  kNoDevice,    // the kernel has no driver for a PMU
  kHidden,      // the hypervisor hides the PMU
  kPermission,  // kernel.perf_event_paranoid
  kSeccomp,     // the filter of a container forbids the system call
  kBroken,      // counters open and stay zero, all or some of them
  kBusy,        // another user holds the counters
  kUnknown,
};

struct PmuDiagnosis {
  PmuCause cause = PmuCause::kNone;
  std::string why;     // one clause without a full stop; empty for kNone
  std::string change;  // what to change, a clause; empty for kNone
};

const char* ToString(PmuCause cause);  // "hidden"

// The diagnosis for what the probe and the surroundings say.
PmuDiagnosis Diagnose(const PmuFacts& facts, const PmuSurroundings& surroundings);

// Why perf_event_open(2) refuses to sample a thread of another process by the software event
// cpu-clock, which needs no PMU. error: its errno, not 0. own_error: that of sampling a thread of
// pmdex itself; 0 if this works.
PmuDiagnosis DiagnoseSampling(int error, int own_error, std::optional<int64_t> paranoid_level,
                              const PmuSurroundings& surroundings);

// For a PMU that counts cycles and leaves events at 0 that cannot be.
PmuDiagnosis PartlyBrokenPmu();

PmuSurroundings FindPmuSurroundings(const std::string& root = "/");

}  // namespace pmdex
