#include "tools/profile/build_profile.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

#include "tools/profile/thread_metrics.h"

namespace pmdex {
const char* ToString(PipelineStage stage) {
  switch (stage) {
    case PipelineStage::kWalk:
      return "walk";
    case PipelineStage::kRead:
      return "read";
    case PipelineStage::kIndex:
      return "index";
    case PipelineStage::kWrite:
      break;
  }
  return "write";
}

BuildProfiler::BuildProfiler(const ProfileMachine& machine,
                             absl::StatusOr<std::unique_ptr<MediaCounters>> controllers,
                             absl::StatusOr<DimmCounters> dimms)
    : machine_(machine),
      table_(TableOf(machine)),
      controllers_(std::move(controllers)),
      dimms_(std::move(dimms)) {}

std::unique_ptr<BuildProfiler> BuildProfiler::OfThisMachine(CounterSource& source) {
  const ProfileMachine machine = ThisMachine(source);
  auto dimms = DimmCounters::Open();  // first: it takes the longest
  return std::make_unique<BuildProfiler>(machine, MediaCounters::Open(TableOf(machine.cpu)),
                                         std::move(dimms));
}

void BuildProfiler::BeginThread(PipelineStage /*stage*/) {
  CountedThread thread;
  std::map<std::string, std::string> refused;
  for (const EventGroup& group : table_.groups) {
    auto opened = machine_.source->Open(EventsOfGroup(table_, group));
    auto begin = opened.ok() ? (*opened)->Read() : opened.status();
    if (!begin.ok()) refused[std::string(group.name)] = std::string(Message(begin.status()));
    thread.groups.push_back(begin.ok() ? *std::move(opened) : nullptr);
    thread.begin.push_back(begin.ok() ? *std::move(begin) : CounterReading());
  }
  thread.begin_usage = UsageOfThisThread();
  MutexLock lock(&mutex_);
  refused_.merge(refused);
  running_[std::this_thread::get_id()] = std::move(thread);
}

void BuildProfiler::EndThread(PipelineStage stage) {
  const ThreadUsage usage = UsageOfThisThread();
  MutexLock lock(&mutex_);
  const auto found = running_.find(std::this_thread::get_id());
  if (found == running_.end()) return;
  std::vector<GroupCounts>& counted = counted_[stage];
  counted.resize(table_.groups.size());
  for (size_t g = 0; g < counted.size(); ++g) {
    if (found->second.groups[g] == nullptr) continue;
    const auto end = found->second.groups[g]->Read();
    if (end.ok()) AddDifference(found->second.begin[g], *end, counted[g]);
  }
  usage_[stage] += usage - found->second.begin_usage;
  running_.erase(found);
}

std::string BuildProfiler::WhyNoSoftwareEvents() const {
  for (const EventGroup& group : table_.groups) {
    const bool is_software =
        std::find(group.events.begin(), group.events.end(), "task_clock_ns") != group.events.end();
    const auto found = refused_.find(std::string(group.name));
    if (is_software && found != refused_.end()) return found->second;
  }
  return "";
}

absl::StatusOr<StageProfile> BuildProfiler::ProfileOf(
    const std::vector<GroupCounts>& counted) const {
  StageProfile profile;
  std::vector<GroupCounts> scaled;
  for (size_t g = 0; g < counted.size(); ++g) {
    GroupCounts& group = scaled.emplace_back(counted[g]);
    if (group.running_ns == 0) continue;
    const double share =
        static_cast<double>(group.running_ns) / static_cast<double>(group.enabled_ns);
    profile.least_share = std::min(profile.least_share, share);
    for (double& count : group.counts) count /= share;
    group.running_ns = group.enabled_ns;
    const auto& events = table_.groups[g].events;
    for (size_t i = 0; i < group.counts.size(); ++i) {
      profile.counts.emplace(events[i], group.counts[i]);
    }
  }
  profile.dropped = DroppedGroups(table_, {.queries = 1, .groups = scaled, .others = {}});
  PMDEX_ASSIGN_OR_RETURN(profile.metrics, MetricsOfThreads(table_, scaled));
  return profile;
}

absl::StatusOr<BuildProfile> BuildProfiler::Profile() const {
  const bool has_pmu = machine_.pmu.cause == PmuCause::kNone;
  BuildProfile profile;
  profile.cpu = machine_.cpu;
  profile.pmu = machine_.pmu;
  profile.source = has_pmu ? "hardware" : "software";
  profile.table = std::string(table_.name);
  profile.controllers = controllers_.ok() ? (*controllers_)->Read() : controllers_.status();
  profile.dimms = dimms_.ok() ? dimms_->Read() : dimms_.status();
  profile.notes = NotesOfTable(machine_);
  MutexLock lock(&mutex_);
  const std::string no_software_events = WhyNoSoftwareEvents();
  if (!no_software_events.empty()) {
    profile.notes.push_back(absl::StrCat(
        "CPU time, page faults and switches of the stages are the kernel's accounts, by "
        "getrusage(RUSAGE_THREAD), and have those in the kernel in them, because perf events were "
        "refused: ",
        no_software_events));
  }
  for (const auto& [stage, counted] : counted_) {
    PMDEX_ASSIGN_OR_RETURN(profile.stages[stage], ProfileOf(counted));
    if (!no_software_events.empty()) profile.stages[stage].accounts = usage_.at(stage);
    for (const std::string& dropped : profile.stages[stage].dropped) {
      profile.notes.push_back(absl::StrCat(ToString(stage), ": ", dropped));
    }
  }
  for (const auto& [group, why] : refused_) {
    profile.notes.push_back(absl::StrCat("the group '", group, "' was not counted: ", why));
  }
  return profile;
}

}  // namespace pmdex
