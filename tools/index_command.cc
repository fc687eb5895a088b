// pmdex index: builds or extends an index.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

#include "engine/columns/date_text.h"
#include "engine/ingest/build_options.h"
#include "engine/ingest/ingest.h"
#include "engine/ingest/ingest_options.h"
#include "engine/ingest/ingest_report.h"
#include "engine/ingest/input_directories.h"
#include "engine/ingest/pipeline/progress.h"
#include "engine/ingest/reading/tree_walk.h"
#include "engine/store/index_writer.h"
#include "engine/store/snapshot.h"
#include "engine/store/statistics.h"
#include "pmem/memory_limit.h"
#include "pmem/text.h"
#include "tools/command.h"
#include "tools/counters/perf_counters.h"
#include "tools/flag_checks.h"
#include "tools/index_errors.h"
#include "tools/index_help.h"
#include "tools/index_report.h"
#include "tools/log_flags.h"
#include "tools/merge_after_build.h"
#include "tools/new_index.h"
#include "tools/placement_flags.h"
#include "tools/printable.h"
#include "tools/profile/build_profile.h"
#include "tools/publish_flag.h"
#include "tools/schema_file.h"
#include "tools/stop_signals.h"
#include "tools/tune.h"
#include "tools/tuning_flags.h"

namespace pmdex {
namespace {

struct IndexFlags {
  std::string index;
  IngestOptions ingest;
  TuningFlags tuning;
  PlacementFlags placement;
  std::string format = "auto";
  std::string analyzer;  // empty: the default, or what the index has
  std::string positions;
  std::string store;
  std::string schema;  // a file
  std::string publish_every;
  LogFlags log;
  std::string mode;  // octal; empty: for this user alone, or as the index that is there
  bool append = false;
  bool overwrite = false;
  bool resume = false;
  bool merge = false;
  bool json = false;
  bool quiet = false;
  bool profile = false;
};

// Whether the build extends what is there: asked for, or what the unfinished build was at.
bool Appends(const IndexFlags& flags, const Manifest& manifest) {
  return flags.append || (flags.resume && !flags.overwrite && manifest.pending.has_value() &&
                          manifest.pending->mode == OpenMode::kAppend);
}

// What the flags say, over what the index has (append) or the defaults.
absl::StatusOr<IndexSettings> Settings(const IndexFlags& flags, const Directory& directory) {
  IndexSettings settings;
  const auto manifest = LoadNewestManifest(directory, nullptr);
  if (absl::IsResourceExhausted(manifest.status())) return manifest.status();
  if (manifest.ok() && Appends(flags, *manifest)) settings = manifest->settings;
  if (!flags.analyzer.empty()) {
    PMDEX_ASSIGN_OR_RETURN(settings.analyzer, ParseAnalyzerKind(flags.analyzer));
  }
  if (!flags.positions.empty()) settings.positions = flags.positions == "on";
  if (!flags.store.empty()) settings.store_text = flags.store == "on";
  return settings;
}

bool MayReadJsonLines(InputFormat format) {
  return format == InputFormat::kAuto || format == InputFormat::kJsonl;
}

absl::Status CheckFlags(const IndexFlags& flags) {
  const auto& inputs = flags.ingest.inputs;
  if (flags.tuning.tune && std::find(inputs.begin(), inputs.end(), "-") != inputs.end()) {
    return InvalidArgument(
        "--tune measures a sample of the input first, and standard input can be read only once");
  }
  if (flags.ingest.attributes && flags.format != "auto" && flags.format != "files") {
    return InvalidArgument("--attributes keeps the entries of files: it takes --format files");
  }
  PMDEX_RETURN_IF_ERROR(CheckLogFlags(flags.log, flags.format));
  if (flags.append && flags.overwrite) {
    return InvalidArgument("--append and --overwrite exclude each other");
  }
  return CheckPlacementFlags(flags.placement);
}

// How and from what the index was built: `info` shows it.
void SetProperties(const IngestOptions& options, IndexWriter& writer) {
  const bool goes_on_with_parts =
      writer.build().has_value() && writer.published().HasPublishedParts();
  if (goes_on_with_parts) return;  // the earlier run has set them
  const auto& before = writer.next_properties();
  const auto inputs = before.find("inputs");
  writer.SetProperty("inputs", absl::StrCat(inputs == before.end() ? "" : inputs->second + ", ",
                                            absl::StrJoin(options.inputs, ", ")));
  writer.SetProperty("format", std::string(ToString(options.format)));
  writer.SetProperty("version", PMDEX_VERSION);
  const auto directories = before.find(kInputDirectoriesProperty);
  writer.SetProperty(
      kInputDirectoriesProperty,
      AddWorkingDirectory(directories == before.end() ? "" : directories->second, options.inputs));
  const bool takes_files =
      options.format == InputFormat::kFiles || options.format == InputFormat::kAuto;
  if (!takes_files) return;
  const bool has_read_none = writer.NextSegments().empty() &&
                             (!writer.build().has_value() || writer.build()->segments.empty());
  if (has_read_none) {
    writer.SetProperty(kFilesReadSinceProperty, FormatDate(absl::ToUnixNanos(absl::Now())));
  }
  const auto roots = before.find(kFileRootsProperty);
  writer.SetProperty(kFileRootsProperty,
                     AddFileRoots(roots == before.end() ? "" : roots->second, options.inputs));
}

absl::StatusOr<std::unique_ptr<IndexWriter>> OpenWriter(const IndexFlags& flags,
                                                        Directory& directory,
                                                        const IngestOptions& options) {
  const OpenMode mode = flags.append      ? OpenMode::kAppend
                        : flags.overwrite ? OpenMode::kOverwrite
                                          : OpenMode::kCreate;
  auto writer = flags.resume ? IndexWriter::OpenToResume(directory, mode, DescribeBuild(options),
                                                         options.settings)
                             : IndexWriter::Open(directory, mode, options.settings);
  if (!writer.ok()) return ExplainOpenError(writer.status(), flags.overwrite, &directory);
  return writer;
}

absl::StatusOr<IngestReport> BuildIndex(const IndexFlags& flags, IngestOptions options,
                                        const StopSignals& signals, IndexWriter& writer) {
  SetProperties(options, writer);
  StageObserver* const observer = std::exchange(options.observer, nullptr);
  PMDEX_RETURN_IF_ERROR(TuneBuild(flags.tuning, flags.quiet, options, writer));
  options.observer = observer;
  ProgressLine line(/*enabled=*/!flags.quiet);
  auto report = Ingest(options, writer, [&](const IngestProgress& progress) {
    if (signals.flag().IsSet()) {
      line.Show("stopping at a checkpoint (a second signal ends at once)");
    } else {
      line.Show(progress);
    }
  });
  line.Clear();
  if (absl::IsCancelled(report.status())) return ExplainStop(signals.signal(), writer);
  if (!report.ok()) return ExplainBuildError(report.status(), writer);
  if (report->stages.threads_not_started > 0) {
    Warn(absl::StrCat(report->stages.threads_not_started,
                      " threads could not be started; others did their work"));
  }
  WarnMissingCopies(writer.missing_copies());
  if (!flags.quiet && !flags.json) PrintIndexProblems(*report);
  return report;
}

absl::StatusOr<IngestReport> MakeBuilt(const IndexFlags& flags, Directory& directory,
                                       const IngestOptions& options, const StopSignals& signals) {
  PMDEX_ASSIGN_OR_RETURN(const auto writer, OpenWriter(flags, directory, options));
  if (!writer->is_built()) {
    WarnDropped(*writer, flags.overwrite);
    PMDEX_RETURN_IF_ERROR(ApplyPlacementFlags(flags.placement, options.memory_bytes, *writer));
    return BuildIndex(flags, options, signals, *writer);
  }
  if (!flags.quiet) {
    absl::FPrintF(stderr, "%s: this build is finished, nothing to do\n",
                  Printable(directory.path()));
  }
  return ReportOfFinishedBuild(writer->published());
}

// What there is at the path. If that cannot be told, a directory: opening it says what is wrong.
std::filesystem::file_type TypeOfPath(const std::string& path) {
  std::error_code error;
  const auto type = std::filesystem::status(path, error).type();
  return type == std::filesystem::file_type::none ? std::filesystem::file_type::directory : type;
}

// The directory of --index, which exists unless the build appends; refused before anything in it is
// changed when it is no place for an index.
absl::StatusOr<std::unique_ptr<Directory>> OpenForWriting(const IndexFlags& flags,
                                                          const std::string& path) {
  FileDirectoryOptions options;
  options.create = !flags.append;
  if (!flags.mode.empty()) {
    PMDEX_ASSIGN_OR_RETURN(options.mode, ParseFileMode(flags.mode));
  }
  const std::filesystem::file_type type = TypeOfPath(path);
  // An input that is missing makes no directory.
  if (type == std::filesystem::file_type::not_found && !flags.append) {
    PMDEX_RETURN_IF_ERROR(CheckInputs(flags.ingest));
  }
  auto directory = OpenDirectoryForIndex(path, options);
  if (!directory.ok() && type != std::filesystem::file_type::not_found &&
      type != std::filesystem::file_type::directory) {
    return WithHint(directory.status(),
                    "--index takes a directory: a new one, or that of an index");
  }
  if (!directory.ok()) return ExplainOpenError(directory.status(), flags.overwrite, nullptr);
  return directory;
}

// Merges after the build. Returns the exit status.
absl::StatusOr<int> MergePublished(Directory& directory, const StopSignals& signals) {
  const auto merged = MergeAfterBuild(directory, signals.flag());
  if (!merged.ok()) {
    return MakeStatus(merged.status().code(),
                      absl::StrCat("the documents are published, but segments cannot be merged: ",
                                   ToAbsl(Message(merged.status()))));
  }
  if (!merged->is_stopped) return kExitDone;
  ReportError(MakeStatus(
      absl::StatusCode::kCancelled,
      absl::StrCat("interrupted by ", StopSignalName(signals.signal()),
                   ": the documents are published, and pmdex merge goes on with the merges")));
  return kExitSignal + signals.signal();
}

absl::StatusOr<int> RunIndex(const IndexFlags& flags) {
  PMDEX_RETURN_IF_ERROR(CheckFlags(flags));
  IngestOptions options = flags.ingest;
  PMDEX_RETURN_IF_ERROR(ApplyTuningFlags(flags.tuning, options));
  PMDEX_RETURN_IF_ERROR(ParsePublishEvery(flags.publish_every, options));
  if (!flags.schema.empty()) {
    PMDEX_ASSIGN_OR_RETURN(options.schema, ReadSchemaFile(flags.schema));
  }
  if (flags.log.log_time) options.log_zone = flags.log.log_zone;
  PMDEX_ASSIGN_OR_RETURN(const std::string path, ResolveIndexPath(flags.index));
  PMDEX_ASSIGN_OR_RETURN(const auto directory, OpenForWriting(flags, path));
  PMDEX_ASSIGN_OR_RETURN(options.format, ParseInputFormat(flags.format));
  if (!flags.schema.empty() && !MayReadJsonLines(options.format)) {
    Warn(absl::StrCat("--schema: input of --format ", flags.format,
                      " has no fields of a schema; it is kept for JSON lines that are appended"));
  }
  PMDEX_ASSIGN_OR_RETURN(options.settings, Settings(flags, *directory));
  options.exclude_directory = path;
  StopSignals signals;
  options.stop = &signals.flag();
  PerfCounterSource counters;
  const auto profiler = flags.profile ? BuildProfiler::OfThisMachine(counters) : nullptr;
  options.observer = profiler.get();
  absl::StatusOr<IngestReport> built = MakeBuilt(flags, *directory, options, signals);
  if (absl::IsCancelled(built.status())) {
    ReportError(built.status());
    return kExitSignal + signals.signal();
  }
  if (!built.ok()) return built.status();
  if (flags.merge) {
    PMDEX_ASSIGN_OR_RETURN(const int merged, MergePublished(*directory, signals));
    if (merged != kExitDone) return merged;
  }
  signals.EndAtOnce(
      "pmdex: error: interrupted: the index is published, its report is missing (hint: pmdex info "
      "shows it)\n");
  IngestReport& report = *built;
  PMDEX_ASSIGN_OR_RETURN(auto opened, Snapshot::Open(*directory));
  const StatisticsOptions counting = {static_cast<size_t>(options.indexer_threads),
                                      options.memory_bytes / 2};
  PMDEX_ASSIGN_OR_RETURN(const auto sound, ComputeSoundStatistics(std::move(opened), counting));
  const auto& [snapshot, statistics] = sound;
  report.peak_rss_bytes = PeakRssBytes();  // counting terms is a part of it
  if (flags.json || !flags.quiet) {
    PMDEX_RETURN_IF_ERROR(
        PrintIndexReport(report, statistics, *snapshot, path, profiler.get(), flags.json));
  }
  // What was indexed is published; but older segments may be damaged, and that is no success.
  WarnMissing(MissingParts(*snapshot));
  return snapshot->quarantined().empty() ? kExitDone : kExitFailed;
}

void AddBuildFlags(CLI::App& command, IndexFlags& flags) {
  const CLI::IsMember on_off({"on", "off"});
  command
      .add_option("--analyzer", flags.analyzer,
                  "how text becomes words: standard: Unicode words, casefolded (default); "
                  "whitespace: split at white space, case kept; english: standard, stop words "
                  "removed, stemmed; log: runs of letters and digits")
      ->check(CLI::IsMember({"standard", "whitespace", "english", "log"}))
      ->type_name("NAME");
  command.add_option("--positions", flags.positions, "keep positions, for phrases (default on)")
      ->check(on_off)
      ->type_name("on|off");
  command.add_option("--store", flags.store, "keep the text, for snippets (default off)")
      ->check(on_off)
      ->type_name("on|off");
  AddModeFlag(command, flags.mode);
}

void AddInputFlags(CLI::App& command, IndexFlags& flags) {
  command
      .add_option("inputs", flags.ingest.inputs,
                  "files and directories; - reads JSON lines from stdin; *.gz, *.zst, *.xz and "
                  "*.bz2 are read as what they hold")
      ->required()
      ->type_name("INPUT");
  command
      .add_option(
          "--format", flags.format,
          "what a document is: auto: a directory is walked as files, *.jsonl and *.ndjson "
          "(compressed or not) are JSON lines, - is JSON lines from stdin; files: one document a "
          "file; lines: one a line; jsonl: one "
          "a JSON line; trec: <DOC> elements")
      ->check(CLI::IsMember({"auto", "files", "lines", "jsonl", "trec"}))
      ->type_name("FORMAT");
  command.add_flag("--attributes", flags.ingest.attributes,
                   "files: keep every entry of the file system: also directories, links, sockets "
                   "and files without text, as documents with attributes alone");
  command
      .add_option("--id-field", flags.ingest.id_field,
                  "the field of a JSON line that names the document")
      ->capture_default_str()
      ->type_name("FIELD");
  command
      .add_option("--schema", flags.schema,
                  "the types of the fields of JSON lines, as TOML; docs/FIELDS.md tells more "
                  "(default: what the first 500 documents have)")
      ->type_name("FILE");
  command
      .add_option("--fields", flags.ingest.fields,
                  "the fields of a JSON line to index (default: all but the id field)")
      ->delimiter(',')
      ->type_name("A,B,...");
}

}  // namespace

void AddIndexCommand(CLI::App& app, Invocation& invocation) {
  auto flags = std::make_shared<IndexFlags>();
  CLI::App* command = app.add_subcommand("index", "build, or with --append extend, an index");
  AddIndexFlag(*command, flags->index);
  AddInputFlags(*command, *flags);
  AddLogFlags(*command, flags->log);
  AddBuildFlags(*command, *flags);
  AddPlacementFlags(*command, flags->placement);
  AddTuningFlags(*command, flags->tuning, flags->ingest);
  command->add_flag("--append", flags->append, "add to the index that is there");
  command->add_flag("--update", flags->ingest.update,
                    "a document replaces those with the same id: of the index with --append, and "
                    "those before it in the input");
  command->add_flag("--overwrite", flags->overwrite, "replace the index that is there");
  AddPublishFlag(*command, flags->publish_every);
  command->add_flag("--merge", flags->merge,
                    "once the documents are published, merge small segments as pmdex merge does; "
                    "a build that is stopped meanwhile is published");
  command->add_flag("--resume", flags->resume,
                    "make this build done: go on after a crash where its durable work ended, start "
                    "it when it was not begun, do nothing when it is finished");
  command->add_flag("--json", flags->json, "one JSON document on stdout");
  command->add_flag("--quiet", flags->quiet, "no progress, no report");
  command->add_flag("--profile", flags->profile,
                    "count what each stage costs the CPU, and what the medium writes where it can "
                    "be counted; docs/PROFILING.md tells more");
  command->footer(kIndexFooter);
  command->callback(
      [flags, &invocation] { invocation.run = [flags] { return RunIndex(*flags); }; });
}

}  // namespace pmdex
