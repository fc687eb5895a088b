// The command `pmdex profile`: where the time of queries goes, by counters and samples.
#include <unistd.h>

#include <array>
#include <chrono>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"

#include "tools/command.h"
#include "tools/counters/perf_counters.h"
#include "tools/nvme_flags.h"
#include "tools/output.h"
#include "tools/printable.h"
#include "tools/profile/process_profile.h"
#include "tools/profile/process_report.h"
#include "tools/profile/profile_diff.h"
#include "tools/profile/profile_json.h"
#include "tools/profile/profile_report.h"
#include "tools/profile/profile_session.h"
#include "tools/profile/simulated_run.h"
#include "tools/simd_flag.h"

namespace pmdex {
namespace {

constexpr int kPasses = 3;

struct ProfileFlags {
  std::string index;
  std::string queries_file;
  std::vector<std::string> compare;
  std::vector<std::string> diff;
  std::vector<int> threads = {1};
  std::vector<std::string> modes = {"pruned"};
  std::optional<int> passes;
  bool simulate = false;
  bool simulated_child = false;
  std::string simd = "auto";
  NvmeFlags nvme;
  std::string out;
  int pid = 0;  // 0: no running process
  int seconds = 10;
  bool json = false;
  std::set<std::string> given;  // the names of the flags on the command line: "--pid"
};

// The path of this program, because another process has another /proc/self.
std::string PathOfProgram() {
  std::array<char, 4096> path;
  const ssize_t size = readlink("/proc/self/exe", path.data(), path.size());
  return size <= 0 ? "pmdex" : std::string(path.data(), static_cast<size_t>(size));
}

// Two saved configurations that are compared.
using SavedPair = std::pair<SavedProfile, SavedProfile>;

// Keys of the object that is open.
void WritePair(const SavedPair& pair, JsonWriter& json) {
  const auto& [a, b] = pair;
  json.Key("metrics").BeginObject();
  for (const std::string& name : a.order) {
    const auto other = b.metrics.find(name);
    if (other == b.metrics.end()) continue;
    json.Key(name).BeginObject().Key("a").Double(a.metrics.at(name).value);
    json.Key("b").Double(other->second.value).Key("unit").String(other->second.unit).EndObject();
  }
  json.EndObject().Key("nodes").BeginArray();
  for (const NodeChange& change : ExplainDifference(a, b)) {
    json.BeginObject().Key("node").String(change.node);
    json.Key("cycles_a").Double(change.before).Key("cycles_b").Double(change.after).EndObject();
  }
  json.EndArray().Key("phases").BeginArray();
  for (const NodeChange& change : ExplainByPhase(a, b)) {
    json.BeginObject().Key("phase").String(change.node);
    json.Key("a").Double(change.before).Key("b").Double(change.after).EndObject();
  }
  json.EndArray().Key("explanation").String(DifferenceInWords(a, b));
}

// The keys at the top are those of the first pair.
std::string DiffToJson(const std::vector<SavedPair>& pairs) {
  JsonWriter json;
  json.BeginObject();
  json.Key("a").String(pairs[0].first.path).Key("b").String(pairs[0].second.path);
  WritePair(pairs[0], json);
  json.Key("configurations").BeginArray();
  for (const SavedPair& pair : pairs) {
    json.BeginObject().Key("configuration").String(pair.first.configuration);
    WritePair(pair, json);
    json.EndObject();
  }
  return json.EndArray().EndObject().result() + "\n";
}

std::string DiffToText(const std::vector<SavedPair>& pairs) {
  std::string text;
  for (const auto& [a, b] : pairs) {
    if (pairs.size() > 1) absl::StrAppend(&text, Printable(a.configuration), "\n");
    const ReportTable parts = PartsOfDifference(a, b);
    absl::StrAppend(&text, TableToText(DiffTable(a, b)), "\n",
                    parts.rows.empty() ? "" : TableToText(parts) + "\n", DifferenceInWords(a, b),
                    "\n");
  }
  return text;
}

// Configurations with the same mode and threads, in their order; without one, the first of each.
std::vector<SavedPair> PairsOf(const std::vector<SavedProfile>& all_a,
                               const std::vector<SavedProfile>& all_b) {
  std::vector<SavedPair> pairs;
  std::set<size_t> taken;
  for (const SavedProfile& a : all_a) {
    for (size_t i = 0; i < all_b.size(); ++i) {
      if (all_b[i].configuration != a.configuration || !taken.insert(i).second) continue;
      pairs.emplace_back(a, all_b[i]);
      break;
    }
  }
  if (pairs.empty()) pairs.emplace_back(all_a[0], all_b[0]);
  return pairs;
}

absl::StatusOr<int> RunDiff(const ProfileFlags& flags) {
  if (!flags.out.empty()) {
    return InvalidArgument(
        "profile: --diff writes no report, so that --out cannot go with it (hint: --json > FILE, "
        "or --compare DIR --out DIR)");
  }
  PMDEX_ASSIGN_OR_RETURN(const auto a, ReadSavedProfiles(flags.diff[0]));
  PMDEX_ASSIGN_OR_RETURN(const auto b, ReadSavedProfiles(flags.diff[1]));
  if (a[0].source != b[0].source) {
    return InvalidArgument(absl::StrCat("profile: ", a[0].path, " was measured by ", a[0].source,
                                        " and ", b[0].path, " by ", b[0].source,
                                        ": such numbers cannot be compared"));
  }
  const std::vector<SavedPair> pairs = PairsOf(a, b);
  WriteOutput(flags.json ? DiffToJson(pairs) : DiffToText(pairs));
  return kExitDone;
}

absl::StatusOr<int> RunChildOfSimulation(const ProfileFlags& flags) {
  PMDEX_ASSIGN_OR_RETURN(const auto directory, OpenIndexDirectory(flags.index));
  PMDEX_ASSIGN_OR_RETURN(const auto snapshot, Snapshot::Open(*directory));
  PMDEX_ASSIGN_OR_RETURN(const auto lines, ReadQueryLines(flags.queries_file));
  const Searcher searcher(snapshot);
  PMDEX_ASSIGN_OR_RETURN(const SimdLevel simd, SimdLevelNamed("profile", flags.simd));
  SearchOptions options;
  options.exhaustive = flags.modes[0] == "exhaustive";
  options.kernels = &QueryKernelsOf(simd);
  PMDEX_RETURN_IF_ERROR(RunSimulatedChild(searcher, lines, options));
  return kExitDone;
}

absl::StatusOr<int> RunOnProcess(const ProfileFlags& flags) {
  constexpr uint32_t kSamplesPerSecond = 1000;
  PerfCounterSource source;
  PMDEX_ASSIGN_OR_RETURN(
      const ProcessProfile profile,
      ProfileProcess(static_cast<uint32_t>(flags.pid), std::chrono::seconds(flags.seconds),
                     kSamplesPerSecond, ThisMachine(source)));
  if (!flags.out.empty()) PMDEX_RETURN_IF_ERROR(WriteProcessReport(profile, flags.out));
  WriteOutput(flags.json ? ProcessProfileToJson(profile) + "\n" : ProcessProfileToText(profile));
  return kExitDone;
}

// Flags that a form of the command would ignore are wrong usage.
absl::Status CheckForm(const ProfileFlags& flags) {
  constexpr const char* kOfQueries[] = {"--index",   "--queries", "--compare",  "--modes",
                                        "--threads", "--passes",  "--simulate", "--simd",
                                        "--nvme-io", "--cache"};
  const bool has_pid = flags.given.contains("--pid");
  const bool has_diff = flags.given.contains("--diff");
  const char* const form = has_diff  ? "--diff compares two saved profiles"
                           : has_pid ? "--pid samples a running process"
                                     : nullptr;
  for (const char* flag : kOfQueries) {
    if (form == nullptr || !flags.given.contains(flag)) continue;
    return InvalidArgument(
        absl::StrCat("profile: ", form, " and runs no queries: ", flag, " cannot go with it"));
  }
  if (has_diff && has_pid) {
    return InvalidArgument(absl::StrCat("profile: ", form, ": --pid cannot go with it"));
  }
  if (flags.given.contains("--seconds") && !has_pid) {
    return InvalidArgument(
        "profile: --seconds says how long --pid samples a process: give --pid, too");
  }
  return absl::OkStatus();
}

// The simulator has one thread, and maps the index.
absl::Status CheckSimulation(const ProfileFlags& flags) {
  if (!flags.simulate) return absl::OkStatus();
  if (flags.threads != std::vector<int>{1}) {
    return InvalidArgument(
        "profile: --simulate runs queries on one thread, because callgrind runs one thread at a "
        "time: --threads cannot go with it");
  }
  if (flags.nvme.io != "map" || flags.nvme.cache_bytes != 0) {
    return InvalidArgument(
        "profile: --simulate reads a mapped index, because callgrind counts no reads of the "
        "kernel: --nvme-io direct and --cache cannot go with it");
  }
  if (flags.passes.has_value()) {
    return InvalidArgument(
        "profile: --simulate counts each query once, because callgrind counts the same every time: "
        "--passes cannot go with it");
  }
  return absl::OkStatus();
}

absl::StatusOr<int> RunProfileCommand(const ProfileFlags& flags) {
  PMDEX_RETURN_IF_ERROR(CheckForm(flags));
  PMDEX_RETURN_IF_ERROR(CheckSimulation(flags));
  if (!flags.diff.empty()) return RunDiff(flags);
  if (flags.pid != 0) return RunOnProcess(flags);
  if (flags.queries_file.empty()) {
    return InvalidArgument("profile: give --queries FILE (hint: pmdex profile --help)");
  }
  if (flags.simulated_child) return RunChildOfSimulation(flags);
  ProfileRequest request;
  PMDEX_ASSIGN_OR_RETURN(const std::string index, ResolveIndexPath(flags.index));
  request.indexes = {index};
  request.indexes.insert(request.indexes.end(), flags.compare.begin(), flags.compare.end());
  request.queries_file = flags.queries_file;
  request.modes = flags.modes;
  request.threads.assign(flags.threads.begin(), flags.threads.end());
  request.passes = static_cast<size_t>(flags.passes.value_or(kPasses));
  request.simd = flags.simd;
  PMDEX_ASSIGN_OR_RETURN(request.snapshots, SnapshotOptionsOf("profile", flags.nvme));
  request.simulate = flags.simulate;
  request.program = PathOfProgram();
  PerfCounterSource source;
  PMDEX_ASSIGN_OR_RETURN(const ProfileResult result, RunProfile(request, ThisMachine(source)));
  if (!flags.out.empty()) PMDEX_RETURN_IF_ERROR(WriteProfileReport(result, flags.out));
  WriteOutput(flags.json ? ProfileToJson(result) + "\n" : ProfileToText(result));
  return result.is_partial ? kExitFailed : kExitDone;
}

constexpr char kProfileFooter[] =
    "Each query runs alone between two reads of the counters, once for each group of events that "
    "the CPU can count at the same time. Phases come from samples. Without a PMU the command says "
    "why, and takes software events. docs/PROFILING.md says how to read a report.\n"
    "Examples:\n"
    "  pmdex profile --index DIR --queries FILE --out report\n"
    "  pmdex profile --index DIR --queries FILE --modes pruned,exhaustive --json > a.json\n"
    "  pmdex profile --diff a.json b.json\n"
    "  pmdex profile --pid $(pidof pmdex) --seconds 10\n"
    "Exit status:\n"
    "  0  the profile was made\n"
    "  1  an index or a file cannot be read, or segments of an index do not answer\n"
    "  2  wrong usage, or no line is a query";

void AddProfileFlags(CLI::App& command, ProfileFlags& flags) {
  command.add_option("--queries", flags.queries_file, "a file with one query per line")
      ->type_name("FILE");
  command
      .add_option("--compare", flags.compare,
                  "another index to run the same queries on, beside the first; may repeat")
      ->type_name("DIR")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command.add_option("--modes", flags.modes, "how to search: pruned, exhaustive, or both")
      ->delimiter(',')
      ->check(CLI::IsMember({"pruned", "exhaustive"}))
      ->type_name("LIST");
  command.add_option("--threads", flags.threads, "numbers of threads that run queries: 1,2,4")
      ->delimiter(',')
      ->check(CLI::Range(1, 1024))
      ->type_name("LIST");
  command
      .add_option(
          "--passes", flags.passes,
          "passes over the queries, for the times and for each group of events (default: 3)")
      ->check(CLI::Range(1, 10000))
      ->type_name("N");
  command.add_flag("--simulate", flags.simulate,
                   "run the queries under callgrind with this machine's cache sizes, on one thread "
                   "and a mapped index; the numbers are labelled simulated");
  AddSimdFlag(command, flags.simd);
  AddNvmeFlags(command, flags.nvme);
  command.add_option("--out", flags.out, "write report.html, report.json and plots here")
      ->type_name("DIR");
  command.add_option("--diff", flags.diff, "compare two files that --json has written")
      ->type_name("FILE FILE")
      ->expected(2);
  command.add_option("--pid", flags.pid, "sample this running process, by thread and phase")
      ->check(CLI::Range(1, 1 << 30))
      ->type_name("PID");
  command.add_option("--seconds", flags.seconds, "how long to sample the process")
      ->capture_default_str()
      ->check(CLI::Range(1, 86400))
      ->type_name("N");
  command.add_flag("--json", flags.json, "print JSON");
  // What pmdex starts under callgrind; an empty group keeps it out of --help.
  command.add_flag("--simulated-child", flags.simulated_child)->group("");
}

}  // namespace

void AddProfileCommand(CLI::App& app, Invocation& invocation) {
  auto flags = std::make_shared<ProfileFlags>();
  CLI::App* command =
      app.add_subcommand("profile", "show where the time of queries goes, by counters and samples");
  AddIndexFlag(*command, flags->index);
  AddProfileFlags(*command, *flags);
  command->footer(kProfileFooter);
  command->callback([flags, command, &invocation] {
    for (const CLI::Option* option : command->get_options()) {
      if (option->count() > 0) flags->given.insert(option->get_name());
    }
    invocation.run = [flags] { return RunProfileCommand(*flags); };
  });
}

}  // namespace pmdex
