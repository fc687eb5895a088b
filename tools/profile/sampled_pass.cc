#include "tools/profile/sampled_pass.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

#include "pmem/mutex.h"
#include "pmem/thread.h"
#include "tools/bound_to_cpu.h"
#include "tools/counters/timer_sampler.h"
#include "tools/profile/call_names.h"
#include "tools/profile/phase_counts.h"

namespace pmdex {
namespace {

constexpr std::chrono::seconds kLeastSampling{1};

// Samples the thread that starts it, by perf events, or by a timer where the kernel refuses these.
class OwnSampler {
 public:
  static absl::StatusOr<OwnSampler> Start(const ProfileRunOptions& options) {
    OwnSampler sampler;
    auto by_events = CpuSampler::Start(/*thread=*/0, options.sample_rate_hz, options.open_sampler,
                                       kOwnRingPages);
    if (by_events.ok()) {
      sampler.by_events_ = *std::move(by_events);
      return sampler;
    }
    sampler.refusal_ = by_events.status();
    PMDEX_ASSIGN_OR_RETURN(sampler.by_timer_, TimerSampler::Start(options.sample_rate_hz));
    return sampler;
  }

  void Drain(std::vector<CpuSample>& samples) {
    if (by_events_ != nullptr) return by_events_->Drain(samples);
    by_timer_->Drain(samples);
  }
  uint64_t lost() const { return by_events_ != nullptr ? by_events_->lost() : by_timer_->lost(); }
  const absl::Status& refusal() const { return refusal_; }  // of perf events

 private:
  std::unique_ptr<CpuSampler> by_events_;
  std::unique_ptr<TimerSampler> by_timer_;
  absl::Status refusal_;
};

// Without what calls the searcher: the passes of the profile itself.
std::vector<std::string> WithinSearch(std::vector<std::string> functions) {
  const auto search = std::find(functions.begin(), functions.end(), "Searcher::Search");
  if (search != functions.end()) functions.erase(functions.begin(), search);
  return functions;
}

}  // namespace

void AddSamples(const SamplesByClass& samples, const AddressNames& names,
                ProfiledConfiguration& result) {
  PhaseCounts phases;
  CallNames calls(names);
  for (const auto& [query_class, of_class] : samples) {
    for (const CpuSample& sample : of_class) {
      phases.Add(query_class, WithinSearch(calls.Of(sample)), 1);
    }
  }
  phases.SetPhases(result);
}

absl::Status SampleQueries(const Searcher& searcher, const std::vector<ProfileQuery>& queries,
                           const ProfileRunOptions& options, ProfiledConfiguration& result) {
  Mutex mutex;
  std::atomic<size_t> next = 0;
  SamplesByClass samples;
  uint64_t lost = 0;
  absl::Status refusal;
  SearchOptions search;
  search.exhaustive = options.exhaustive;
  search.kernels = options.kernels;
  const auto end = std::chrono::steady_clock::now() + kLeastSampling;
  const absl::Status status = RunOnThreads(options.threads, [&](size_t thread) {
    const BoundToCpu bound(options.cpus, thread);
    PMDEX_ASSIGN_OR_RETURN(OwnSampler sampler, OwnSampler::Start(options));
    SamplesByClass own;
    for (size_t run;
         (run = next.fetch_add(1)) < queries.size() || std::chrono::steady_clock::now() < end;) {
      const ProfileQuery& query = queries[run % queries.size()];
      PMDEX_RETURN_IF_ERROR(searcher.Search(query.text, search).status());
      sampler.Drain(own[query.query_class]);
    }
    MutexLock lock(&mutex);
    for (auto& [query_class, of_class] : own) {
      std::vector<CpuSample>& all = samples[query_class];
      all.insert(all.end(), std::move_iterator(of_class.begin()),
                 std::move_iterator(of_class.end()));
    }
    lost += sampler.lost();
    if (!sampler.refusal().ok()) refusal = sampler.refusal();
    return absl::OkStatus();
  });
  PMDEX_RETURN_IF_ERROR(status);
  if (!refusal.ok()) {
    result.notes.push_back(absl::StrCat("samples are by a timer, at the ticks of the kernel: ",
                                        std::string(Message(refusal)), " (see docs/PROFILING.md)"));
  }
  if (lost > 0) result.notes.push_back(absl::StrCat(lost, " samples were lost"));
  PMDEX_ASSIGN_OR_RETURN(const AddressNames names, AddressNames::OfProcess("self"));
  AddSamples(samples, names, result);
  return absl::OkStatus();
}

}  // namespace pmdex
