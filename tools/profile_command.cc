// The command `pmdex profile`: counts what queries cost, by hardware counters where there are some.
#include "engine/store/snapshot.h"
#include "pmem/pmu_probe.h"
#include "query/searcher.h"
#include "tools/command.h"
#include "tools/counters/perf_counters.h"
#include "tools/output.h"
#include "tools/profile/profile_output.h"
#include "tools/profile/profile_run.h"
#include "tools/profile/query_counts.h"

namespace pmdex {
namespace {

struct ProfileFlags {
  std::string index;
  std::string queries_file;
  int passes = 3;
  int threads = 1;
  std::vector<std::string> modes = {"pruned"};
  std::string out;
  bool json = false;
};

absl::StatusOr<ProfiledConfiguration> ProfileMode(const ProfileFlags& flags,
                                                  const std::string& mode,
                                                  const std::vector<std::string>& lines,
                                                  const Searcher& searcher,
                                                  const EventTable& table) {
  ProfileRunOptions options;
  options.exhaustive = mode == "exhaustive";
  options.passes = static_cast<size_t>(flags.passes);
  options.threads = static_cast<size_t>(flags.threads);
  const Snapshot& snapshot = searcher.snapshot();
  PMDEX_ASSIGN_OR_RETURN(const DescribedQueries described,
                         DescribeQueries(lines, snapshot, options.exhaustive));
  for (const std::string& refused : described.refused) Warn(refused);
  if (described.queries.empty()) return InvalidArgument("profile: no query can be parsed");
  PerfCounterSource source;
  PMDEX_ASSIGN_OR_RETURN(ProfiledConfiguration result,
                         ProfileQueries(searcher, described.queries, table, source, options));
  result.mode = mode;
  for (const auto& segment : snapshot.segments()) {
    result.documents += segment->doc_count();
    result.index_bytes += segment->file_bytes();
  }
  if (!described.refused.empty()) {
    result.notes.push_back(std::to_string(described.refused.size()) + " lines are no queries");
  }
  return result;
}

absl::StatusOr<int> RunProfile(const ProfileFlags& flags) {
  PMDEX_ASSIGN_OR_RETURN(const auto lines, ReadQueryLines(flags.queries_file));
  PMDEX_ASSIGN_OR_RETURN(const std::string path, ResolveIndexPath(flags.index));
  PMDEX_ASSIGN_OR_RETURN(auto directory, OpenIndexDirectory(path));
  PMDEX_ASSIGN_OR_RETURN(auto snapshot, Snapshot::Open(*directory));
  WarnPassedOver(*snapshot);
  const Searcher searcher(snapshot);
  ProfileResult result;
  result.cpu = ThisCpu();
  result.pmu = Diagnose(ProbePmu(), FindPmuSurroundings());
  const bool has_pmu = result.pmu.cause == PmuCause::kNone;
  result.source = has_pmu ? "hardware" : "software";
  result.table = has_pmu ? &TableOf(result.cpu) : &SoftwareTable();
  const EventTable table = has_pmu ? WithSoftware(*result.table) : *result.table;
  for (const std::string& mode : flags.modes) {
    PMDEX_ASSIGN_OR_RETURN(ProfiledConfiguration configuration,
                           ProfileMode(flags, mode, lines, searcher, table));
    configuration.index = path;
    result.configurations.push_back(std::move(configuration));
  }
  if (!flags.out.empty()) PMDEX_RETURN_IF_ERROR(WriteProfile(result, flags.out));
  WriteOutput(flags.json ? ProfileToJson(result) + "\n" : ProfileToText(result));
  const auto answering = searcher.answering();
  if (answering->quarantined().empty()) return kExitDone;
  WarnMissing(MissingParts(*answering));
  return kExitFailed;
}

}  // namespace

void AddProfileCommand(CLI::App& app, Invocation& invocation) {
  auto flags = std::make_shared<ProfileFlags>();
  CLI::App* command = app.add_subcommand("profile", "count what queries cost the CPU, and where");
  AddIndexFlag(*command, flags->index);
  command->add_option("--queries", flags->queries_file, "a file with one query per line")
      ->required()
      ->type_name("FILE");
  command->add_option("--passes", flags->passes, "run all queries N times for each group of events")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000))
      ->type_name("N");
  command->add_option("--threads", flags->threads, "threads that run queries at the same time")
      ->capture_default_str()
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  command
      ->add_option("--modes", flags->modes,
                   "how to search, comma-separated: pruned skips what cannot be among the hits, "
                   "exhaustive scores every match")
      ->delimiter(',')
      ->check(CLI::IsMember({"pruned", "exhaustive"}))
      ->type_name("LIST");
  command
      ->add_option("--out", flags->out, "write profile.json and profile.html into this directory")
      ->type_name("DIR");
  command->add_flag("--json", flags->json, "print one JSON document");
  command->footer(
      "Without hardware counters it counts software events, and says why. docs/PROFILING.md tells\n"
      "how to read the result.\n"
      "Exit status:\n"
      "  0  the queries were profiled\n"
      "  1  the index or the queries cannot be read, or segments of the index do not answer\n"
      "  2  wrong usage, or no line is a query");
  command->callback(
      [flags, &invocation] { invocation.run = [flags] { return RunProfile(*flags); }; });
}

}  // namespace pmdex
