#include "tools/profile/profile_session.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "pmem/file_descriptor.h"
#include "pmem/pmu_probe.h"
#include "tools/command.h"
#include "tools/profile/profile_run.h"
#include "tools/profile/query_metrics.h"
#include "tools/profile/simulated_run.h"
#include "tools/report/report_files.h"
#include "tools/simd_flag.h"

namespace pmdex {
namespace {

uint64_t BytesOfSegments(const Snapshot& snapshot) {
  uint64_t bytes = 0;
  for (const auto& segment : snapshot.segments()) bytes += segment->file_bytes();
  return bytes;
}

// Tables that several configurations of a result point into live as long as the program.
const EventTable& TableFor(const ProfileRequest& request, const ProfileMachine& machine) {
  if (request.simulate) return SimulatedTable();
  if (machine.pmu.cause != PmuCause::kNone) return SoftwareTable();
  static std::map<std::string_view, std::unique_ptr<EventTable>> made;
  std::unique_ptr<EventTable>& table = made[TableOf(machine.cpu).name];
  if (table == nullptr) table = std::make_unique<EventTable>(TableOf(machine));
  return *table;
}

void NoteReadCost(ProfiledConfiguration& configuration) {
  if (configuration.read_ns == 0) return;
  configuration.notes.push_back(absl::StrFormat(
      "a read of the counters takes %.0f ns: two of them are %.1f %% of a query of 100 us",
      configuration.read_ns, 2 * configuration.read_ns / 100'000 * 100));
}

class ProfileSession {
 public:
  ProfileSession(const ProfileRequest& request, const ProfileMachine& machine)
      : request_(request), machine_(machine), table_(TableFor(request, machine)) {}

  absl::StatusOr<ProfileResult> Run() {
    PMDEX_ASSIGN_OR_RETURN(lines_, ReadQueryLines(request_.queries_file));
    PMDEX_ASSIGN_OR_RETURN(simd_, SimdLevelNamed("profile", request_.simd));
    result_.cpu = machine_.cpu;
    result_.table = &table_;
    result_.pmu = machine_.pmu;
    result_.machine = machine_.facts;
    result_.source = request_.simulate                       ? "simulated"
                     : machine_.pmu.cause == PmuCause::kNone ? "hardware"
                                                             : "software";
    if (!request_.simulate) result_.notes = NotesOfTable(machine_);
    NoteSmt();
    for (const std::string& index : request_.indexes) PMDEX_RETURN_IF_ERROR(RunIndex(index));
    return std::move(result_);
  }

 private:
  // AMD counts what the other thread of the core takes as a category of its own.
  void NoteSmt() {
    const auto smt = std::find_if(machine_.facts.begin(), machine_.facts.end(),
                                  [](const auto& fact) { return fact.first == "smt"; });
    if (smt == machine_.facts.end() || !smt->second.starts_with("on") ||
        result_.source != "hardware" || table_.level1.empty() ||
        table_.FindMetric("smt_contention_share") != nullptr) {
      return;
    }
    result_.notes.push_back(
        "SMT is on: the shares of level 1, and what divides them, hold only for a core by itself, "
        "whose other thread is idle");
  }

  absl::StatusOr<std::shared_ptr<const Snapshot>> Open(const std::string& index) const {
    PMDEX_ASSIGN_OR_RETURN(const auto directory, OpenIndexDirectory(index));
    return Snapshot::Open(*directory, request_.snapshots);
  }

  absl::Status RunIndex(const std::string& index) {
    for (const std::string& mode : request_.modes) {
      const bool exhaustive = mode == "exhaustive";
      DescribedQueries described;
      {
        PMDEX_ASSIGN_OR_RETURN(const auto snapshot, Open(index));
        if (mode == request_.modes[0]) WarnPassedOver(*snapshot);
        PMDEX_ASSIGN_OR_RETURN(described, DescribeQueries(lines_, *snapshot, exhaustive));
      }
      if (described.queries.empty()) {
        return InvalidArgument(
            absl::StrCat(request_.queries_file, ": no line is a query: ", described.refused[0]));
      }
      for (const size_t threads : request_.threads) {
        ProfileRunOptions options;
        options.threads = threads;
        options.passes = request_.passes;
        options.exhaustive = exhaustive;
        options.kernels = &QueryKernelsOf(simd_);
        options.each_query = true;
        options.sample_rate_hz = request_.sample_rate_hz;
        PMDEX_RETURN_IF_ERROR(RunConfiguration(index, mode, described, options));
        if (request_.simulate) break;  // the simulator has one thread
      }
    }
    return absl::OkStatus();
  }

  // Opens the index anew, so that the page faults of its first run are those of a new mapping.
  absl::Status RunConfiguration(const std::string& index, const std::string& mode,
                                const DescribedQueries& described,
                                const ProfileRunOptions& options) {
    PMDEX_ASSIGN_OR_RETURN(const auto snapshot, Open(index));
    const Searcher searcher(snapshot);
    PMDEX_ASSIGN_OR_RETURN(ProfiledConfiguration configuration,
                           RunOne(searcher, index, described.queries, options));
    Describe(index, mode, *snapshot, described, configuration);
    if (configuration.has_broken_groups) result_.pmu = PartlyBrokenPmu();
    result_.configurations.push_back(std::move(configuration));
    // As for search: a partial answer is no answer to rely on.
    const auto answering = searcher.answering();
    if (answering->quarantined().empty() || !partial_.insert(index).second) return absl::OkStatus();
    WarnMissing(MissingParts(*answering));
    result_.is_partial = true;
    result_.notes.push_back(absl::StrCat(index, ": damaged segments were left out of the queries"));
    return absl::OkStatus();
  }

  absl::StatusOr<ProfiledConfiguration> RunOne(const Searcher& searcher, const std::string& index,
                                               const std::vector<ProfileQuery>& queries,
                                               const ProfileRunOptions& options) {
    if (!request_.simulate) {
      PMDEX_ASSIGN_OR_RETURN(ProfiledConfiguration configuration,
                             ProfileQueries(searcher, queries, table_, *machine_.source, options));
      NoteReadCost(configuration);
      configuration.mapping = MappingOf(index);
      PMDEX_RETURN_IF_ERROR(AddTouchedSections(searcher, queries, options.exhaustive, configuration,
                                               request_.touching));
      return configuration;
    }
    return SimulateQueries(request_.program, index, queries, options.exhaustive, request_.simd);
  }

  void Describe(const std::string& index, const std::string& mode, const Snapshot& snapshot,
                const DescribedQueries& described, ProfiledConfiguration& configuration) const {
    configuration.index = index;
    configuration.mode = mode;
    configuration.documents = snapshot.live_doc_count();
    configuration.index_bytes = BytesOfSegments(snapshot);
    if (!described.refused.empty()) {
      configuration.notes.push_back(absl::StrCat(
          described.refused.size(), " lines were left out, the first one: ", described.refused[0]));
    }
  }

  const ProfileRequest& request_;
  const ProfileMachine& machine_;
  const EventTable& table_;
  std::vector<std::string> lines_;
  SimdLevel simd_ = SimdLevel::kScalar;
  std::set<std::string> partial_;  // indexes with damaged segments
  ProfileResult result_;
};

// The text of a small file of the kernel; empty if it cannot be read.
std::string KernelText(const std::string& path) {
  auto text = ReadReportFile(path, 4096);
  if (!text.ok()) return "";
  text->erase(text->find_last_not_of(" \n") + 1);
  return *text;
}

// Bits 0 to 3 of MSR 0x1a4 switch the four prefetchers of an Intel core off (Intel SDM volume 4).
std::string PrefetcherState(const std::string& root, std::string_view vendor) {
  if (vendor != "GenuineIntel") return "";
  const FileDescriptor msr(open((root + "dev/cpu/0/msr").c_str(), O_RDONLY | O_CLOEXEC));
  uint64_t value = 0;
  if (!msr.valid() || pread(msr.get(), &value, sizeof(value), 0x1a4) != sizeof(value)) return "";
  return (value & 0xf) == 0
             ? "all on"
             : absl::StrFormat("switched off by bits 0x%x of MSR 0x1a4", value & 0xf);
}

}  // namespace

ProfileMachine ThisMachine(CounterSource& source) {
  ProfileMachine machine;
  machine.cpu = ThisCpu();
  machine.pmu = Diagnose(ProbePmu(), FindPmuSurroundings());
  machine.source = &source;
  machine.facts = MachineFactsBelow("/", machine.cpu.vendor);
  return machine;
}

EventTable TableOf(const ProfileMachine& machine) {
  return machine.pmu.cause == PmuCause::kNone ? WithSoftware(TableOf(machine.cpu))
                                              : SoftwareTable();
}

std::vector<std::string> NotesOfTable(const ProfileMachine& machine) {
  if (machine.pmu.cause != PmuCause::kNone || &TableOf(machine.cpu) != &ArchitecturalTable()) {
    return {};
  }
  return {
      "pmdex has no table for this CPU: only events that every PMU has were counted, and there is "
      "no top-down breakdown"};
}

absl::StatusOr<ProfileResult> RunProfile(const ProfileRequest& request,
                                         const ProfileMachine& machine) {
  return ProfileSession(request, machine).Run();
}

std::vector<std::pair<std::string, std::string>> MachineFactsBelow(const std::string& root,
                                                                   std::string_view vendor) {
  std::vector<std::pair<std::string, std::string>> facts;
  const auto add = [&](const char* name, std::string value) {
    if (!value.empty()) facts.emplace_back(name, std::move(value));
  };
  const std::string smt = KernelText(root + "sys/devices/system/cpu/smt/active");
  add("smt", smt == "1" ? "on: two threads share the slots of a core" : smt == "0" ? "off" : "");
  add("numa_node_list", KernelText(root + "sys/devices/system/node/online"));
  add("transparent_huge_pages", KernelText(root + "sys/kernel/mm/transparent_hugepage/enabled"));
  add("perf_event_paranoid", KernelText(root + "proc/sys/kernel/perf_event_paranoid"));
  const std::string watchdog = KernelText(root + "proc/sys/kernel/nmi_watchdog");
  add("nmi_watchdog", watchdog == "1" ? "on: takes one counter" : watchdog == "0" ? "off" : "");
  add("prefetchers", PrefetcherState(root, vendor));
  return facts;
}

}  // namespace pmdex
