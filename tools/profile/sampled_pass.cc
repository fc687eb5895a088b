#include "tools/profile/sampled_pass.h"

#include <atomic>
#include <chrono>
#include <map>

#include "absl/strings/str_cat.h"

#include "pmem/mutex.h"
#include "pmem/thread.h"
#include "tools/profile/code_phases.h"

namespace pmdex {
namespace {

constexpr std::chrono::seconds kLeastSampling{1};

}  // namespace

void AddSamples(const std::vector<CpuSample>& samples, const AddressNames& names,
                ProfiledConfiguration& result) {
  std::map<uint64_t, uint64_t> by_address;  // few addresses have many samples
  for (const CpuSample& sample : samples) ++by_address[sample.address];
  std::map<std::string_view, uint64_t> by_phase;
  for (const auto& [address, count] : by_address) {
    const std::string function = names.NameAt(address);
    const std::string_view phase = PhaseOfFunction(function);
    by_phase[phase] += count;
    result.stacks[{std::string(phase), function}] += count;
  }
  result.samples = samples.size();
  for (const std::string_view name : PhaseNames()) {
    const auto found = by_phase.find(name);
    if (found == by_phase.end()) continue;
    result.phases.push_back(
        {std::string(name), found->second,
         static_cast<double>(found->second) / static_cast<double>(samples.size())});
  }
}

absl::Status SampleQueries(const Searcher& searcher, const std::vector<ProfileQuery>& queries,
                           const ProfileRunOptions& options, ProfiledConfiguration& result) {
  Mutex mutex;
  std::atomic<size_t> next = 0;
  std::vector<CpuSample> samples;
  uint64_t lost = 0;
  absl::Status refusal;
  SearchOptions search;
  search.exhaustive = options.exhaustive;
  search.kernels = options.kernels;
  const auto end = std::chrono::steady_clock::now() + kLeastSampling;
  const absl::Status status = RunOnThreads(options.threads, [&](size_t) {
    auto sampler = CpuSampler::Start(/*thread=*/0, options.sample_rate_hz);
    if (!sampler.ok()) {
      MutexLock lock(&mutex);
      refusal = sampler.status();
      return absl::OkStatus();
    }
    std::vector<CpuSample> own;
    for (size_t run;
         (run = next.fetch_add(1)) < queries.size() || std::chrono::steady_clock::now() < end;) {
      PMDEX_RETURN_IF_ERROR(searcher.Search(queries[run % queries.size()].text, search).status());
      (*sampler)->Drain(own);
    }
    MutexLock lock(&mutex);
    samples.insert(samples.end(), own.begin(), own.end());
    lost += (*sampler)->lost();
    return absl::OkStatus();
  });
  PMDEX_RETURN_IF_ERROR(status);
  if (!refusal.ok()) {
    result.notes.push_back(
        absl::StrCat("no phases: ", std::string(Message(refusal)), " (see docs/PROFILING.md)"));
    return absl::OkStatus();
  }
  if (lost > 0) result.notes.push_back(absl::StrCat(lost, " samples were lost"));
  PMDEX_ASSIGN_OR_RETURN(const AddressNames names, AddressNames::OfProcess("self"));
  AddSamples(samples, names, result);
  return absl::OkStatus();
}

}  // namespace pmdex
