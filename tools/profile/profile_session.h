// Runs a whole profile: the first index, those of --compare, every mode and every number of
// threads. What it counts with is given from outside, so that tests can drive all of it without a
// PMU.
#pragma once

#include <string>
#include <vector>

#include "engine/store/snapshot.h"
#include "pmem/status.h"
#include "tools/counters/counter_source.h"
#include "tools/counters/event_table.h"
#include "tools/counters/pmu_diagnosis.h"
#include "tools/profile/profile_result.h"
#include "tools/profile/touched_sections.h"

namespace pmdex {

struct ProfileRequest {
  std::vector<std::string> indexes;  // directories; at least one
  std::string queries_file;
  std::vector<std::string> modes = {"pruned"};  // or "exhaustive"
  std::vector<size_t> threads = {1};
  size_t passes = 3;
  std::string simd = "auto";
  SnapshotOptions snapshots;  // how segments are opened, but not by the simulation
  bool simulate = false;
  uint32_t sample_rate_hz = 4000;
  TouchLimits touching;                    // how many loads are recorded after the counted passes
  std::string program = "/proc/self/exe";  // pmdex itself, for the simulation
};

// The machine and its counters.
struct ProfileMachine {
  CpuIdentity cpu;
  PmuDiagnosis pmu;  // kNone: the table of the CPU is used; else software events only
  CounterSource* source = nullptr;
  std::vector<std::pair<std::string, std::string>> facts;
};

// This machine, with what is known of its PMU. The source outlives it.
ProfileMachine ThisMachine(CounterSource& source);

// What can be counted on it: the events of its CPU and those of the kernel, or the latter alone.
EventTable TableOf(const ProfileMachine& machine);

// Notes for the reader of what TableOf() can count: one if pmdex has no table for a CPU whose
// counters work, else none. Everything that counts by TableOf() shows them.
std::vector<std::string> NotesOfTable(const ProfileMachine& machine);

absl::StatusOr<ProfileResult> RunProfile(const ProfileRequest& request,
                                         const ProfileMachine& machine);

// What the reader of a report must know of this machine, as far as it can be read below the root:
// SMT, NUMA nodes, huge pages, the NMI watchdog, prefetchers. vendor: of the CPU, as CPUID has it.
std::vector<std::pair<std::string, std::string>> MachineFactsBelow(const std::string& root,
                                                                   std::string_view vendor);

}  // namespace pmdex
