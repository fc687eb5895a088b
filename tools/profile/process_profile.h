// `pmdex profile --pid PID --seconds N`: samples a running process, a server say, by thread and
// phase, and counts what its threads cost the CPU. The groups of hardware events take turns of a
// fraction of a second, all threads the same one, so that the kernel never shares counters out. The
// process is not stopped and not changed. Where perf_event_open(2) refuses to sample, the accounts
// that the kernel keeps of each thread stand in (task_accounts.h). For one thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pmem/status.h"
#include "tools/counters/perf_counters.h"
#include "tools/profile/profile_result.h"
#include "tools/profile/profile_session.h"
#include "tools/profile/task_accounts.h"

namespace pmdex {

struct ThreadProfile {
  uint32_t thread = 0;
  std::string name;
  uint64_t samples = 0;
  double cpu_s = 0;          // CPU time while it was watched
  uint64_t page_faults = 0;  // in user space, while it was watched
  bool has_counts = false;   // cpu_s and page_faults were measured
  MetricSet metrics;         // with hardware counters
  std::vector<PhaseShare> phases;
};

struct ProcessProfile {
  uint32_t pid = 0;
  std::string command;
  double seconds = 0;  // that it was watched: fewer than asked for if it ended
  bool has_ended = false;
  uint64_t samples = 0;
  uint64_t lost = 0;
  std::vector<ThreadProfile> threads;  // by falling samples, only those that ran
  std::vector<PhaseShare> phases;
  FoldedStacks stacks;  // thread name, functions by call (StackOn)
  CpuIdentity cpu;
  PmuDiagnosis pmu;
  std::shared_ptr<const EventTable> table;  // of what was counted; the metrics point into it
  MetricSet metrics;                        // of all threads, with hardware counters
  // In place of samples, which are then absent with all that is made of them: threads, phases,
  // stacks, metrics.
  std::optional<ProcessAccounts> accounts;
  PmuDiagnosis no_samples;  // why there are accounts; kNone: there are samples
  std::vector<std::string> notes;
};

// Threads that start meanwhile are taken in. Returns kNotFound if there is no such process.
// open_sampler: for samples; tests refuse.
absl::StatusOr<ProcessProfile> ProfileProcess(uint32_t pid, std::chrono::milliseconds time,
                                              uint32_t rate_hz, const ProfileMachine& machine,
                                              const OpenEvent& open_sampler = OpenPerfEvent);

}  // namespace pmdex
