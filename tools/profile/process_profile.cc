#include "tools/profile/process_profile.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

#include "pmem/sysfs.h"
#include "tools/counters/cpu_sampler.h"
#include "tools/profile/address_names.h"
#include "tools/profile/call_names.h"
#include "tools/profile/code_phases.h"
#include "tools/profile/phase_counts.h"
#include "tools/profile/thread_metrics.h"
#include "tools/report/report_files.h"

namespace pmdex {
namespace {

using WatchClock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kBetweenDrains{50};
constexpr int kDrainsOfGroup = 4;  // as long as a group of hardware events counts
constexpr std::chrono::milliseconds kBetweenLooks{200};  // each reads three files a thread

std::vector<uint32_t> ThreadsOf(uint32_t pid) {
  std::vector<uint32_t> threads;
  std::error_code error;
  std::filesystem::directory_iterator entry(absl::StrCat("/proc/", pid, "/task"), error);
  for (const auto end = std::filesystem::directory_iterator(); !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    uint32_t thread = 0;
    const auto parsed = std::from_chars(name.data(), name.data() + name.size(), thread);
    if (parsed.ec == std::errc()) threads.push_back(thread);
  }
  return threads;
}

// The first line of a small file below /proc; empty if it is gone.
std::string FirstLine(const std::string& path) {
  const auto text = ReadReportFile(path, 65536);
  return text.ok() ? text->substr(0, text->find('\n')) : "";
}

// One thread that is sampled and counted.
struct WatchedThread {
  std::string name;
  std::unique_ptr<CpuSampler> sampler;
  std::unique_ptr<OpenCounters> counters;  // page_faults and task_clock_ns; nullptr: refused
  // How many samples each instruction with its callers had, so that a long run needs no more
  // memory.
  std::map<std::pair<uint64_t, std::vector<uint64_t>>, uint64_t> stacks;
  // The group whose turn it is; nullptr: there are no hardware counters, or it was refused.
  std::unique_ptr<OpenCounters> group;
  CounterReading group_begin;
  std::vector<GroupCounts> counted;  // indexed like EventTable::groups
};

class ProcessWatch {
 public:
  ProcessWatch(uint32_t pid, uint32_t rate_hz, const ProfileMachine& machine,
               const OpenEvent& open_sampler)
      : pid_(pid),
        rate_hz_(rate_hz),
        machine_(machine),
        open_sampler_(open_sampler),
        table_(std::make_shared<const EventTable>(
            machine.pmu.cause == PmuCause::kNone ? TableOf(machine.cpu) : SoftwareTable())) {}

  // A profile without samples, and with the cause, if no thread can be sampled.
  absl::StatusOr<ProcessProfile> Run(std::chrono::milliseconds time) {
    ProcessProfile profile;
    profile.pid = pid_;
    profile.cpu = machine_.cpu;
    profile.pmu = machine_.pmu;
    profile.table = table_;
    profile.notes = NotesOfTable(machine_);
    if (ThreadsOf(pid_).empty()) {
      return MakeStatus(absl::StatusCode::kNotFound,
                        absl::StrCat("process ", pid_, ": no such process"));
    }
    profile.command = FirstLine(absl::StrCat("/proc/", pid_, "/comm"));
    const auto names = AddressNames::OfProcess(absl::StrCat(pid_));
    // It has ended, or there is no memory or descriptor; all else is a matter of rights.
    if (absl::IsNotFound(names.status()) || absl::IsResourceExhausted(names.status())) {
      return names.status();
    }
    if (!names.ok()) refusal_ = DiagnosisOf(EACCES);
    const WatchClock::time_point start = WatchClock::now();
    for (int drains = 0; WatchClock::now() - start < time && !profile.has_ended; ++drains) {
      if (drains > 0 && drains % kDrainsOfGroup == 0) TakeTurns();
      if (names.ok()) AttachToNew();
      if (watched_.empty() && refusal_.cause != PmuCause::kNone) {
        profile.no_samples = refusal_;
        return profile;
      }
      (void)poll(nullptr, 0, static_cast<int>(kBetweenDrains.count()));
      for (auto& [thread, watch] : watched_) TakeSamples(watch);
      profile.has_ended = ThreadsOf(pid_).empty();
    }
    profile.seconds = std::chrono::duration<double>(WatchClock::now() - start).count();
    TakeTurns();
    if (refused_threads_ > 0) {
      profile.notes.push_back(absl::StrCat("threads that could not be sampled: ", refused_threads_,
                                           "; the first one because ", refusal_.why));
    }
    Summarize(*names, profile);
    PMDEX_RETURN_IF_ERROR(ComputeCounts(profile));
    return profile;
  }

 private:
  static void TakeSamples(WatchedThread& watch) {
    std::vector<CpuSample> samples;
    watch.sampler->Drain(samples);
    for (CpuSample& sample : samples) {
      ++watch.stacks[{sample.address, std::move(sample.callers)}];
    }
  }

  void AttachToNew() {
    for (const uint32_t thread : ThreadsOf(pid_)) {
      if (!known_.insert(thread).second) continue;
      int error = 0;
      auto sampler = StartSampler(static_cast<int>(thread), error);
      if (!sampler.ok()) {
        if (error != ESRCH) NoteRefusal(error, sampler.status());  // else the thread has ended
        continue;
      }
      WatchedThread& watch = watched_[thread];
      watch.name = FirstLine(absl::StrCat("/proc/", pid_, "/task/", thread, "/comm"));
      watch.sampler = *std::move(sampler);
      watch.counters = OpenCountersOf(thread);
      watch.counted.resize(table_->groups.size());
      OpenGroup(thread, watch);
    }
  }

  // error: set to that of the system call; 0 if it is the buffer that was refused.
  absl::StatusOr<std::unique_ptr<CpuSampler>> StartSampler(int thread, int& error) const {
    return CpuSampler::Start(
        thread, rate_hz_,
        [&](perf_event_attr* attributes, int of, int cpu, int group, unsigned flags) {
          const int event = open_sampler_(attributes, of, cpu, group, flags);
          error = event < 0 ? errno : 0;
          return event;
        });
  }

  void NoteRefusal(int error, const absl::Status& status) {
    ++refused_threads_;
    if (refusal_.cause != PmuCause::kNone) return;
    refusal_ = error != 0 ? DiagnosisOf(error)
                          : PmuDiagnosis{PmuCause::kUnknown, std::string(Message(status)),
                                         "raise kernel.perf_event_mlock_kb, or ulimit -l"};
  }

  PmuDiagnosis DiagnosisOf(int error) const {
    int own_error = 0;
    (void)StartSampler(/*thread=*/0, own_error);
    return DiagnoseSampling(error, own_error,
                            ReadSysInt("/", "proc/sys/kernel/perf_event_paranoid"),
                            FindPmuSurroundings());
  }

  bool HasHardware() const { return machine_.pmu.cause == PmuCause::kNone; }

  void OpenGroup(uint32_t thread, WatchedThread& watch) {
    if (!HasHardware()) return;
    auto opened = machine_.source->OpenForThread(EventsOfGroup(*table_, table_->groups[turn_]),
                                                 static_cast<int>(thread));
    auto begin = opened.ok() ? (*opened)->Read() : opened.status();
    if (!begin.ok()) {
      refused_[std::string(table_->groups[turn_].name)] = std::string(Message(begin.status()));
      return;
    }
    watch.group = *std::move(opened);
    watch.group_begin = *std::move(begin);
  }

  // Ends the turn of the group that counts, and opens the next one in all threads.
  void TakeTurns() {
    if (!HasHardware()) return;
    for (auto& [thread, watch] : watched_) {
      if (watch.group == nullptr) continue;
      const auto end = watch.group->Read();
      if (end.ok()) AddDifference(watch.group_begin, *end, watch.counted[turn_]);
      watch.group = nullptr;
    }
    turn_ = (turn_ + 1) % table_->groups.size();
    for (auto& [thread, watch] : watched_) OpenGroup(thread, watch);
  }

  absl::Status ComputeCounts(ProcessProfile& profile) const {
    if (!HasHardware()) return absl::OkStatus();
    std::vector<GroupCounts> all(table_->groups.size());
    for (const auto& [number, watch] : watched_) AddCounts(watch.counted, all);
    PMDEX_ASSIGN_OR_RETURN(profile.metrics, MetricsOfThreads(*table_, all));
    for (ThreadProfile& thread : profile.threads) {
      PMDEX_ASSIGN_OR_RETURN(thread.metrics,
                             MetricsOfThreads(*table_, watched_.at(thread.thread).counted));
    }
    for (const auto& [group, why] : refused_) {
      profile.notes.push_back(absl::StrCat("the group '", group, "' was not counted: ", why));
    }
    for (std::string& dropped :
         DroppedGroups(*table_, {.queries = 1, .groups = all, .others = {}})) {
      profile.notes.push_back(std::move(dropped));
    }
    for (size_t g = 0; g < all.size(); ++g) {
      if (all[g].runs > 0 || refused_.contains(std::string(table_->groups[g].name))) continue;
      profile.notes.push_back(absl::StrCat("the group '", std::string(table_->groups[g].name),
                                           "' had no turn: watch the process for longer"));
    }
    return absl::OkStatus();
  }

  static void AddCounts(const std::vector<GroupCounts>& of_thread, std::vector<GroupCounts>& all) {
    for (size_t g = 0; g < of_thread.size(); ++g) {
      const GroupCounts& from = of_thread[g];
      if (from.runs == 0) continue;
      GroupCounts& to = all[g];
      to.runs = 1;
      to.enabled_ns += from.enabled_ns;
      to.running_ns += from.running_ns;
      to.counts.resize(from.counts.size());
      for (size_t i = 0; i < from.counts.size(); ++i) to.counts[i] += from.counts[i];
    }
  }

  std::unique_ptr<OpenCounters> OpenCountersOf(uint32_t thread) const {
    std::vector<CounterEvent> events;
    for (const std::string_view name : {"page_faults", "task_clock_ns"}) {
      events.push_back(*SoftwareTable().FindEvent(name));
    }
    auto opened = machine_.source->OpenForThread(events, static_cast<int>(thread));
    return opened.ok() ? *std::move(opened) : nullptr;
  }

  void Summarize(const AddressNames& names, ProcessProfile& profile) {
    std::map<std::string_view, uint64_t> all;
    CallNames calls(names);
    for (auto& [number, watch] : watched_) {
      ThreadProfile thread;
      thread.thread = number;
      thread.name = watch.name;
      profile.lost += watch.sampler->lost();
      AddSoftwareCounts(watch, thread);
      std::map<std::string_view, uint64_t> by_phase;
      for (const auto& [stack, count] : watch.stacks) {
        std::vector<std::string> functions = calls.Of({number, stack.first, stack.second});
        const std::string_view phase = PhaseOfStack(functions);
        thread.samples += count;
        by_phase[phase] += count;
        all[phase] += count;
        profile.stacks[StackOn(watch.name, std::move(functions))] += count;
      }
      profile.samples += thread.samples;
      if (thread.samples == 0) continue;
      thread.phases = SharesOf(by_phase);
      profile.threads.push_back(std::move(thread));
    }
    profile.phases = SharesOf(all);
    std::stable_sort(
        profile.threads.begin(), profile.threads.end(),
        [](const ThreadProfile& a, const ThreadProfile& b) { return a.samples > b.samples; });
  }

  static void AddSoftwareCounts(const WatchedThread& watch, ThreadProfile& thread) {
    if (watch.counters == nullptr) return;
    const auto reading = watch.counters->Read();
    if (!reading.ok()) return;
    thread.page_faults = reading->counts[0];
    thread.cpu_s = static_cast<double>(reading->counts[1]) / 1e9;
    thread.has_counts = true;
  }

  const uint32_t pid_;
  const uint32_t rate_hz_;
  const ProfileMachine& machine_;
  const OpenEvent& open_sampler_;
  const std::shared_ptr<const EventTable> table_;
  size_t turn_ = 0;                             // the group that counts
  std::map<std::string, std::string> refused_;  // by the group's name
  std::set<uint32_t> known_;
  std::map<uint32_t, WatchedThread> watched_;
  PmuDiagnosis refusal_;  // of the first thread that could not be sampled
  size_t refused_threads_ = 0;
};

// What the kernel keeps of the threads, in place of samples.
absl::Status WatchAccounts(std::chrono::milliseconds time, ProcessProfile& profile) {
  PMDEX_ASSIGN_OR_RETURN(TaskWatch watch, TaskWatch::Start(profile.pid));
  profile.command = watch.name();
  const WatchClock::time_point start = WatchClock::now();
  for (auto left = time; left.count() > 0 && !watch.has_ended();) {
    (void)poll(nullptr, 0, static_cast<int>(std::min(left, kBetweenLooks).count()));
    watch.Look();
    const auto passed = WatchClock::now() - start;
    left = time - std::chrono::floor<std::chrono::milliseconds>(passed);
    profile.seconds = std::chrono::duration<double>(passed).count();
  }
  profile.has_ended = watch.has_ended();
  profile.accounts = watch.Take();
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ProcessProfile> ProfileProcess(uint32_t pid, std::chrono::milliseconds time,
                                              uint32_t rate_hz, const ProfileMachine& machine,
                                              const OpenEvent& open_sampler) {
  PMDEX_ASSIGN_OR_RETURN(ProcessProfile profile,
                         ProcessWatch(pid, rate_hz, machine, open_sampler).Run(time));
  if (profile.no_samples.cause != PmuCause::kNone) {
    PMDEX_RETURN_IF_ERROR(WatchAccounts(time, profile));
  }
  return profile;
}

}  // namespace pmdex
