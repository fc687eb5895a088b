#include "tools/compare/compare_command.h"

#include <filesystem>
#include <memory>
#include <system_error>

#include "absl/strings/str_cat.h"

#include "engine/ingest/pipeline/progress.h"
#include "tools/compare/compare_estimate.h"
#include "tools/compare/compare_json.h"
#include "tools/compare/compare_report.h"
#include "tools/compare/compare_run.h"
#include "tools/compare/comparing_tables.h"
#include "tools/output.h"

namespace pmdex {
namespace {

absl::Status CheckCompareFlags(const CompareOptions& options) {
  if (options.corpus.empty() == options.index.empty()) {
    return InvalidArgument("compare takes either --corpus or --index");
  }
  if (options.resume && options.out.empty()) {
    return InvalidArgument("--resume needs --out, where the unfinished run left its state");
  }
  if (!options.scales.empty() && options.corpus.empty()) {
    return InvalidArgument("--scale needs --corpus, of which it takes parts");
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> ThisProgram() {
  std::error_code error;
  const std::filesystem::path path = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return ErrnoStatus(error.value(), "/proc/self/exe");
  return path.string();
}

// Disk and memory, or whatever there is of them.
std::vector<std::string> DefaultDirectories() {
  std::error_code error;
  if (std::filesystem::is_directory("/dev/shm", error)) return {".", "/dev/shm"};
  return {"."};
}

absl::StatusOr<int> RunCompareCommand(CompareOptions options) {
  PMDEX_RETURN_IF_ERROR(CheckCompareFlags(options));
  PMDEX_ASSIGN_OR_RETURN(options.program, ThisProgram());
  if (options.directories.empty() && options.index.empty()) {
    options.directories = DefaultDirectories();
  }
  if (options.dry_run) {
    PMDEX_ASSIGN_OR_RETURN(const CompareEstimate estimate, EstimateCompare(options));
    WriteOutput(options.json ? EstimateToJson(estimate) + "\n" : EstimateToText(estimate));
    return kExitDone;
  }
  ProgressLine line(/*enabled=*/!options.quiet);
  absl::StatusOr<CompareResult> run =
      RunCompare(options, [&](std::string_view words) { line.Show(words); });
  line.Clear();
  PMDEX_RETURN_IF_ERROR(run.status());
  const CompareResult& result = *run;
  if (!options.out.empty()) {
    PMDEX_RETURN_IF_ERROR(WriteComparison(result, options.out));
  }
  WriteOutput(options.json ? CompareToJson(result) + "\n" : CompareToText(result));
  if (!result.difference.has_value()) return kExitDone;
  const AnswerDifference& difference = *result.difference;
  Warn(absl::StrCat("answers differ (", difference.what, ") for the query '", difference.query,
                    "' of ", difference.set, ": ", difference.one, " and ", difference.other));
  return kExitFailed;
}

void AddCompareInputs(CLI::App& command, CompareOptions& options) {
  command
      .add_option("--corpus", options.corpus,
                  "build the indexes from these inputs, as pmdex index does")
      ->type_name("INPUT");
  command.add_option("--index", options.index, "compare this index; it is only read")
      ->type_name("DIR");
  command
      .add_option("--queries", options.query_files,
                  "files with one query per line, each a set of its own (default: sets are made "
                  "from the words of the index)")
      ->type_name("FILE");
  command
      .add_option("--dirs", options.directories,
                  "make indexes below these directories, comma-separated, say of a disk and of "
                  "persistent memory (default with --corpus: . and /dev/shm; with --index: the "
                  "index stays where it is)")
      ->delimiter(',')
      ->type_name("LIST");
}

void AddCompareRuns(CLI::App& command, CompareOptions& options) {
  command
      .add_option("--modes", options.modes,
                  "how to search, comma-separated: pruned skips what cannot be among the hits, "
                  "exhaustive scores every match (default: both)")
      ->delimiter(',')
      ->check(CLI::IsMember({"pruned", "exhaustive"}))
      ->type_name("LIST");
  command
      .add_option("--threads", options.threads,
                  "how many threads run queries at the same time, comma-separated (default 1)")
      ->delimiter(',')
      ->check(CLI::Range(1, 1024))
      ->type_name("LIST");
  command.add_option("--passes", options.passes, "timed passes over each set")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000))
      ->type_name("N");
  command.add_flag("--cold", options.cold,
                   "also measure first runs, after the index was dropped from the page cache");
  command
      .add_option("--numa", options.numa,
                  "run threads on the node where the index lies, and on another one, "
                  "comma-separated: local, remote")
      ->delimiter(',')
      ->check(CLI::IsMember({"local", "remote"}))
      ->type_name("LIST");
  command.add_flag("--counters", options.counters,
                   "also count what the queries cost the CPU, as pmdex profile does");
}

void AddCompareStudies(CLI::App& command, CompareOptions& options) {
  command
      .add_option("--model", options.model,
                  "predict mean times on another medium: optane, cxl, or a JSON file that "
                  "describes one")
      ->type_name("optane|cxl|FILE");
  command
      .add_option("--scale", options.scales,
                  "compare indexes of growing size, comma-separated: 1 is a quarter of the "
                  "last-level cache (with --corpus; text is generated where it ends)")
      ->delimiter(',')
      ->check(CLI::Range(1, 1 << 20))
      ->type_name("LIST");
  command
      .add_option("--llc", options.llc_bytes,
                  "the size of the last-level cache (default: it is measured)")
      ->transform(CLI::AsSizeValue(false))
      ->type_name("SIZE");
}

void AddCompareOutput(CLI::App& command, CompareOptions& options) {
  command
      .add_option("--beside", options.beside,
                  "show the runs of these files, which --json or --out wrote, as more columns")
      ->type_name("FILE");
  command.add_flag("--dry-run", options.dry_run,
                   "measure a sample, and print the time and space that the run will need");
  command.add_flag("--resume", options.resume,
                   "go on with the run that was interrupted and had the same --out");
  command
      .add_option("--out", options.out,
                  "write report.html, report.json and the plots into this directory")
      ->type_name("DIR");
  command.add_flag("--json", options.json, "print one JSON document");
  command.add_flag("--quiet", options.quiet, "no progress");
}

}  // namespace

void AddCompareCommand(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App* command = app.add_subcommand(
      "compare", "measure tiers, directories and ways to search on the same queries");
  AddCompareInputs(*command, *options);
  AddCompareRuns(*command, *options);
  AddCompareStudies(*command, *options);
  AddCompareOutput(*command, *options);
  command->footer(
      "Indexes are made in DIR/pmdex-compare of each directory and removed at the end. What "
      "cannot\n"
      "be measured here is skipped, and the report says why. docs/COMPARING.md tells what is\n"
      "measured and how to read it.\n"
      "Exit status:\n"
      "  0  measured, and all configurations answer alike\n"
      "  1  nothing could be measured, or configurations answer queries differently\n"
      "  2  wrong usage, or a line that is no query");
  command->callback([options, &invocation] {
    invocation.run = [options] { return RunCompareCommand(*options); };
  });
}

}  // namespace pmdex
