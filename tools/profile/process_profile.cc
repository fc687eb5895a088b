#include "tools/profile/process_profile.h"

#include <poll.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <system_error>

#include "absl/strings/str_cat.h"

#include "tools/counters/cpu_sampler.h"
#include "tools/counters/perf_counters.h"
#include "tools/profile/address_names.h"
#include "tools/profile/code_phases.h"
#include "tools/report/report_files.h"

namespace pmdex {
namespace {

using WatchClock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kBetweenDrains{50};

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
  std::vector<CpuSample> samples;
};

std::vector<PhaseShare> SharesOf(const std::map<std::string_view, uint64_t>& by_phase,
                                 uint64_t samples) {
  std::vector<PhaseShare> phases;
  for (const std::string_view name : PhaseNames()) {
    const auto found = by_phase.find(name);
    if (found == by_phase.end()) continue;
    phases.push_back({std::string(name), found->second,
                      static_cast<double>(found->second) / static_cast<double>(samples)});
  }
  return phases;
}

class ProcessWatch {
 public:
  ProcessWatch(uint32_t pid, uint32_t rate_hz) : pid_(pid), rate_hz_(rate_hz) {}

  absl::StatusOr<ProcessProfile> Run(std::chrono::milliseconds time) {
    ProcessProfile profile;
    profile.pid = pid_;
    if (ThreadsOf(pid_).empty()) {
      return MakeStatus(absl::StatusCode::kNotFound,
                        absl::StrCat("process ", pid_, ": no such process"));
    }
    profile.command = FirstLine(absl::StrCat("/proc/", pid_, "/comm"));
    PMDEX_ASSIGN_OR_RETURN(const AddressNames names, AddressNames::OfProcess(absl::StrCat(pid_)));
    const WatchClock::time_point start = WatchClock::now();
    while (WatchClock::now() - start < time && !profile.has_ended) {
      AttachToNew();
      if (watched_.empty() && !refusal_.ok()) return refusal_;
      (void)poll(nullptr, 0, static_cast<int>(kBetweenDrains.count()));
      for (auto& [thread, watch] : watched_) watch.sampler->Drain(watch.samples);
      profile.has_ended = ThreadsOf(pid_).empty();
    }
    profile.seconds = std::chrono::duration<double>(WatchClock::now() - start).count();
    Summarize(names, profile);
    return profile;
  }

 private:
  void AttachToNew() {
    for (const uint32_t thread : ThreadsOf(pid_)) {
      if (!known_.insert(thread).second) continue;
      auto sampler = CpuSampler::Start(static_cast<int>(thread), rate_hz_);
      if (!sampler.ok()) {
        refusal_ = sampler.status();
        continue;
      }
      WatchedThread& watch = watched_[thread];
      watch.name = FirstLine(absl::StrCat("/proc/", pid_, "/task/", thread, "/comm"));
      watch.sampler = *std::move(sampler);
      watch.counters = OpenCountersOf(thread);
    }
  }

  static std::unique_ptr<OpenCounters> OpenCountersOf(uint32_t thread) {
    std::vector<CounterEvent> events;
    for (const std::string_view name : {"page_faults", "task_clock_ns"}) {
      events.push_back(*SoftwareTable().FindEvent(name));
    }
    auto opened = PerfCounterSource().OpenForThread(events, static_cast<int>(thread));
    return opened.ok() ? *std::move(opened) : nullptr;
  }

  void Summarize(const AddressNames& names, ProcessProfile& profile) {
    std::map<std::string_view, uint64_t> all;
    for (auto& [number, watch] : watched_) {
      ThreadProfile thread;
      thread.thread = number;
      thread.name = watch.name;
      thread.samples = watch.samples.size();
      profile.lost += watch.sampler->lost();
      AddCounts(watch, thread);
      std::map<std::string_view, uint64_t> by_phase;
      for (const CpuSample& sample : watch.samples) {
        const std::string& function = NameOf(sample.address, names);
        const std::string_view phase = PhaseOfFunction(function);
        ++by_phase[phase];
        ++all[phase];
        ++profile.stacks[{watch.name, std::string(phase), function}];
      }
      profile.samples += thread.samples;
      if (thread.samples == 0) continue;
      thread.phases = SharesOf(by_phase, thread.samples);
      profile.threads.push_back(std::move(thread));
    }
    if (profile.samples > 0) profile.phases = SharesOf(all, profile.samples);
    std::stable_sort(
        profile.threads.begin(), profile.threads.end(),
        [](const ThreadProfile& a, const ThreadProfile& b) { return a.samples > b.samples; });
  }

  static void AddCounts(const WatchedThread& watch, ThreadProfile& thread) {
    if (watch.counters == nullptr) return;
    const auto reading = watch.counters->Read();
    if (!reading.ok()) return;
    thread.page_faults = reading->counts[0];
    thread.cpu_s = static_cast<double>(reading->counts[1]) / 1e9;
    thread.has_counts = true;
  }

  const std::string& NameOf(uint64_t address, const AddressNames& names) {
    std::string& name = cached_names_[address];
    if (name.empty()) name = names.NameAt(address);
    return name;
  }

  const uint32_t pid_;
  const uint32_t rate_hz_;
  std::set<uint32_t> known_;
  std::map<uint32_t, WatchedThread> watched_;
  std::map<uint64_t, std::string> cached_names_;
  absl::Status refusal_;
};

}  // namespace

absl::StatusOr<ProcessProfile> ProfileProcess(uint32_t pid, std::chrono::milliseconds time,
                                              uint32_t rate_hz) {
  return ProcessWatch(pid, rate_hz).Run(time);
}

}  // namespace pmdex
