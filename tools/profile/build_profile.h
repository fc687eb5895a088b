// Counts what the threads of a build cost the CPU, stage by stage, for `pmdex index --profile`.
//
// A build runs once, so that the groups of events cannot have passes of their own as queries have.
// All groups are open at the same time, and the kernel lets them take turns on the counters; counts
// are scaled to the whole time of a thread. Beside that, what the memory controllers read from and
// write to persistent memory, and what the DIMMs do, is counted, where this is possible.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"

#include "engine/ingest/pipeline/stage_observer.h"
#include "pmem/mutex.h"
#include "pmem/status.h"
#include "tools/counters/counter_source.h"
#include "tools/counters/dimm_counters.h"
#include "tools/counters/media_counters.h"
#include "tools/counters/metrics.h"
#include "tools/profile/profile_session.h"
#include "tools/profile/thread_usage.h"

namespace pmdex {

const char* ToString(PipelineStage stage);  // "index"

struct StageProfile {
  // By the name of the event, as sums over the threads: "page_faults", "instructions".
  std::map<std::string, double> counts;
  MetricSet metrics;                 // shares and ratios; none that is divided by queries
  std::vector<std::string> dropped;  // groups that are left out, and why
  // The kernel's accounts of the threads, where perf events were refused: they have time and page
  // faults in the kernel in them.
  std::optional<ThreadUsage> accounts;
  double least_share = 1;  // of its time, how much the group that counted least did count
};

struct BuildProfile {
  CpuIdentity cpu;
  PmuDiagnosis pmu;
  std::string source;                            // "hardware" or "software"
  std::string table;                             // the name of the table
  std::map<PipelineStage, StageProfile> stages;  // those whose threads were counted
  // Of the whole machine while the build ran, or why it was not measured.
  absl::StatusOr<MediaBytes> controllers = MediaBytes();
  absl::StatusOr<DimmBytes> dimms = DimmBytes();
  std::vector<std::string> notes;
};

// Thread-safe. Outlives the build.
class BuildProfiler : public StageObserver {
 public:
  // With the PMU, the memory controllers and the DIMMs of this machine. The source outlives the
  // profiler.
  static std::unique_ptr<BuildProfiler> OfThisMachine(CounterSource& source);

  // Counts persistent memory from now on. machine.source outlives the profiler.
  BuildProfiler(const ProfileMachine& machine,
                absl::StatusOr<std::unique_ptr<MediaCounters>> controllers,
                absl::StatusOr<DimmCounters> dimms);

  void BeginThread(PipelineStage stage) override ABSL_LOCKS_EXCLUDED(mutex_);
  void EndThread(PipelineStage stage) override ABSL_LOCKS_EXCLUDED(mutex_);

  // What was counted until now. Requires that no thread of the build runs. The metrics point into
  // the profiler, which outlives them.
  absl::StatusOr<BuildProfile> Profile() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // The groups of one thread; nullptr where the source refused one.
  struct CountedThread {
    std::vector<std::unique_ptr<OpenCounters>> groups;
    std::vector<CounterReading> begin;
    ThreadUsage begin_usage;
  };

  // Why the kernel did not count CPU time and page faults as events in all threads; empty: it did.
  std::string WhyNoSoftwareEvents() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::StatusOr<StageProfile> ProfileOf(const std::vector<GroupCounts>& counted) const;

  const ProfileMachine machine_;
  const EventTable table_;
  const absl::StatusOr<std::unique_ptr<MediaCounters>> controllers_;
  const absl::StatusOr<DimmCounters> dimms_;
  mutable Mutex mutex_;
  std::map<std::thread::id, CountedThread> running_ ABSL_GUARDED_BY(mutex_);
  std::map<PipelineStage, std::vector<GroupCounts>> counted_ ABSL_GUARDED_BY(mutex_);
  std::map<PipelineStage, ThreadUsage> usage_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, std::string> refused_ ABSL_GUARDED_BY(mutex_);  // by the group's name
};

}  // namespace pmdex
