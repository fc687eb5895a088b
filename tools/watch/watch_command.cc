#include "tools/watch/watch_command.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "engine/ingest/entries/attribute_names.h"
#include "engine/ingest/pipeline/progress.h"
#include "engine/ingest/tuning/tuning.h"
#include "engine/store/snapshot.h"
#include "pmem/text.h"
#include "query/searcher.h"
#include "tools/flag_checks.h"
#include "tools/index_report.h"
#include "tools/new_index.h"
#include "tools/output.h"
#include "tools/placement_flags.h"
#include "tools/printable.h"
#include "tools/server/service_manager.h"
#include "tools/stop_signals.h"
#include "tools/watch/watch_report.h"
#include "tools/watch/watch_session.h"

namespace pmdex {
namespace {

constexpr uint64_t kLeastWatchMemory = uint64_t{32} << 20;
constexpr uint64_t kDefaultWatchMemory = uint64_t{256} << 20;

constexpr char kWatchFooter[] =
    "Documents:\n"
    "A document is a file, and its id is the path as given, joined with the walk, as pmdex index "
    "makes it. An index that pmdex index has built from the same trees is taken over: the first "
    "run reads the files that the index has no attributes of, or that changed since.\n"
    "Changes:\n"
    "A file is read when a program that wrote to it closes it, when it appears, or when it comes "
    "from elsewhere. All changes that are due become one generation. The state of the files is "
    "part of the generation, so that a crash loses nothing, and the next start reads only files "
    "whose size, time or inode has changed. Symbolic links are not followed.\n"
    "Every entry:\n"
    "With --attributes, and in an index that pmdex index --attributes has built, directories, "
    "links and files without text are documents, too, for pmdex find and du. A name that comes or "
    "goes is then a change of its directory, and a renamed file is read again.\n"
    "Sources:\n"
    "fanotify needs root (CAP_SYS_ADMIN and CAP_DAC_READ_SEARCH) and Linux 5.9; inotify needs a "
    "watch for each directory (fs.inotify.max_user_watches); poll scans the trees in intervals.\n"
    "Exit status:\n"
    "  0    ended by SIGINT or SIGTERM, after all changes that were reported are applied, or left "
    "to the\n"
    "       next start with a warning; with --once: the index is up to date\n"
    "  1    it could not be done\n"
    "  2    wrong usage\n"
    "  130  with --once: ended by SIGINT before all was done; 143: by SIGTERM";

struct WatchFlags {
  std::string index;
  std::vector<std::string> roots;
  std::string analyzer;  // empty: the default, or what the index has
  std::string positions;
  std::string store;
  std::string mode;  // octal; empty: for this user alone, or as the index that is there
  PlacementFlags placement;
  std::string events = "auto";
  std::string throttle;
  uint64_t memory_bytes = kDefaultWatchMemory;
  uint32_t quiet_ms = 20;
  uint32_t delay_ms = 200;
  uint32_t poll_seconds = 60;
  bool attributes = false;
  bool once = false;
  bool json = false;
  bool quiet = false;
};

// What the flags say, over what the index has or the defaults.
absl::StatusOr<IndexSettings> SettingsOf(const WatchFlags& flags, const Directory& directory) {
  IndexSettings settings;
  const auto manifest = LoadNewestManifest(directory, nullptr);
  if (!manifest.ok() && !absl::IsNotFound(manifest.status())) return manifest.status();
  if (manifest.ok() && manifest->IsVisible()) {
    settings = manifest->settings;
    const auto format = manifest->properties.find("format");
    if (format != manifest->properties.end() && format->second != "auto" &&
        format->second != "files") {
      return MakeStatus(absl::StatusCode::kFailedPrecondition,
                        absl::StrCat(directory.path(), " holds documents of the format ",
                                     format->second, ", and watch keeps whole files"));
    }
  }
  if (!flags.analyzer.empty()) {
    PMDEX_ASSIGN_OR_RETURN(settings.analyzer, ParseAnalyzerKind(flags.analyzer));
  }
  if (!flags.positions.empty()) settings.positions = flags.positions == "on";
  if (!flags.store.empty()) settings.store_text = flags.store == "on";
  return settings;
}

// True if the index has every entry of its trees. Each tree has a directory, or is a link to one.
absl::StatusOr<bool> HasEveryEntry(const Directory& directory) {
  const auto snapshot = Snapshot::Open(directory);
  if (absl::IsNotFound(snapshot.status())) return false;
  PMDEX_RETURN_IF_ERROR(snapshot.status());
  const FieldSpecs& fields = (*snapshot)->manifest().fields;
  const auto type = fields.find(attribute::kType);
  if (type == fields.end() || type->second.type != FieldType::kKeyword) return false;
  const auto others = Searcher(*snapshot).Search("type:d type:l type:p type:s type:b type:c", {});
  PMDEX_RETURN_IF_ERROR(others.status());
  return !others->hits.empty();
}

absl::StatusOr<std::vector<TreeRoot>> OpenRoots(const std::vector<std::string>& paths,
                                                const std::string& index) {
  std::vector<TreeRoot> roots;
  for (const std::string& path : paths) {
    PMDEX_ASSIGN_OR_RETURN(TreeRoot root, TreeRoot::Open(path, index));
    for (const TreeRoot& other : roots) {
      const std::string& a = root.real_path();
      const std::string& b = other.real_path();
      const bool overlaps =
          a == b || a == "/" || b == "/" || a.starts_with(b + "/") || b.starts_with(a + "/");
      if (overlaps) {
        return InvalidArgument(
            absl::StrCat(path, " and ", other.path(), " overlap: give the outer one alone"));
      }
    }
    roots.push_back(std::move(root));
  }
  return roots;
}

absl::StatusOr<WatchOptions> OptionsOf(const WatchFlags& flags) {
  WatchOptions options;
  options.once = flags.once;
  PMDEX_ASSIGN_OR_RETURN(options.source, ParseSourceKind(flags.events));
  PMDEX_ASSIGN_OR_RETURN(options.throttle, Throttle::Parse(flags.throttle));
  options.collector.quiet_period = std::chrono::milliseconds(flags.quiet_ms);
  options.collector.longest_delay =
      std::chrono::milliseconds(std::max(flags.delay_ms, flags.quiet_ms));
  options.poll_every = std::chrono::seconds(flags.poll_seconds);
  if (flags.memory_bytes < kLeastWatchMemory) {
    return InvalidArgument(absl::StrCat("--memory: at least ", HumanBytes(kLeastWatchMemory)));
  }
  return options;
}

// Tells the user and the service manager how the watch stands.
class WatchNews {
 public:
  WatchNews(const WatchFlags& flags) : flags_(flags), line_(!flags.quiet && !flags.json) {}

  void Show(const WatchReport& report, uint64_t files) {
    if (flags_.once) return;
    if (!is_ready_) {
      is_ready_ = true;
      NotifyServiceManager("READY=1");
      if (!flags_.quiet) {
        absl::FPrintF(stderr, "pmdex: watching with %s: %s files are up to date\n", report.source,
                      WithThousands(files));
      }
      return;
    }
    line_.Show(WatchReportText(report));
    TellServiceManager(report);
  }
  void Clear() { line_.Clear(); }

 private:
  using Clock = std::chrono::steady_clock;

  // `systemctl status` shows it, also with --quiet.
  void TellServiceManager(const WatchReport& report) {
    constexpr std::chrono::seconds kBetweenStatuses{1};
    const Clock::time_point now = Clock::now();
    if (last_status_.has_value() && now < *last_status_ + kBetweenStatuses) return;
    last_status_ = now;
    NotifyServiceManager("STATUS=" + WatchReportText(report));
  }

  const WatchFlags& flags_;
  ProgressLine line_;
  bool is_ready_ = false;
  std::optional<Clock::time_point> last_status_;
};

void PrintWatchReport(const WatchFlags& flags, const WatchReport& report) {
  if (flags.json) {
    WriteOutput(WatchReportJson(report, flags.once));
  } else if (!flags.quiet) {
    IngestReport problems;
    problems.problems = report.problems;
    PrintIndexProblems(problems);
    PrintOutput("%s\n", WatchReportText(report));
  }
}

// The exit status.
int EndOf(const WatchFlags& flags, const WatchReport& report, const StopSignals& signals) {
  if (!flags.once || !report.is_interrupted) return kExitDone;
  ReportError(MakeStatus(absl::StatusCode::kCancelled,
                         absl::StrCat("interrupted by ", StopSignalName(signals.signal()),
                                      ": the same command line goes on with the other files")));
  return kExitSignal + signals.signal();
}

absl::StatusOr<int> RunWatch(const WatchFlags& flags) {
  PMDEX_RETURN_IF_ERROR(CheckPlacementFlags(flags.placement));
  PMDEX_ASSIGN_OR_RETURN(WatchOptions watch, OptionsOf(flags));
  PMDEX_ASSIGN_OR_RETURN(const std::string path, ResolveIndexPath(flags.index));
  // Before anything is made: a tree that is not there is an error of the command line.
  PMDEX_RETURN_IF_ERROR(OpenRoots(flags.roots, "").status());
  FileDirectoryOptions directory_options;
  directory_options.create = true;
  if (!flags.mode.empty()) {
    PMDEX_ASSIGN_OR_RETURN(directory_options.mode, ParseFileMode(flags.mode));
  }
  PMDEX_ASSIGN_OR_RETURN(const auto directory, OpenDirectoryForIndex(path, directory_options));
  PMDEX_ASSIGN_OR_RETURN(const std::vector<TreeRoot> roots, OpenRoots(flags.roots, path));
  IngestOptions options;
  options.inputs = flags.roots;
  options.format = InputFormat::kFiles;
  options.memory_bytes = flags.memory_bytes;
  PMDEX_ASSIGN_OR_RETURN(options.settings, SettingsOf(flags, *directory));
  PMDEX_ASSIGN_OR_RETURN(const bool has_every_entry, HasEveryEntry(*directory));
  options.attributes = flags.attributes || has_every_entry;
  watch.keeps_entries = options.attributes;
  PMDEX_RETURN_IF_ERROR(CheckTuning(options));
  StopSignals signals;
  const auto prepare = [&](IndexWriter& writer) {
    return ApplyPlacementFlags(flags.placement, options.memory_bytes, writer);
  };
  PMDEX_ASSIGN_OR_RETURN(const auto index, WatchedIndex::Open(*directory, options, prepare));
  if (!index->damage().ok()) {
    Warn(absl::StrCat(
        "what was known of the files is damaged, so that the index is taken over anew: ",
        ToAbsl(Message(index->damage()))));
  }
  index->StopMergesBy(signals.flag());
  WatchSession session(watch, roots, *index, signals.flag(),
                       [](std::string_view text) { Warn(text); });
  WatchNews news(flags);
  const auto report =
      session.Run([&](const WatchReport& so_far) { news.Show(so_far, index->known().size()); });
  news.Clear();
  NotifyServiceManager("STOPPING=1");
  if (!report.ok()) return report.status();
  PrintWatchReport(flags, *report);
  return EndOf(flags, *report, signals);
}

void AddIndexSettings(CLI::App& command, WatchFlags& flags) {
  const CLI::IsMember on_off({"on", "off"});
  command
      .add_option("--analyzer", flags.analyzer,
                  "how text becomes words, for a new index: standard (default), whitespace, "
                  "english, log; pmdex index --help tells more")
      ->check(CLI::IsMember({"standard", "whitespace", "english", "log"}))
      ->type_name("NAME");
  command.add_option("--positions", flags.positions, "keep positions, for phrases (default on)")
      ->check(on_off)
      ->type_name("on|off");
  command.add_option("--store", flags.store, "keep the text, for snippets (default off)")
      ->check(on_off)
      ->type_name("on|off");
  AddModeFlag(command, flags.mode);
  command.add_option("--memory", flags.memory_bytes, "memory for reading and indexing files")
      ->transform(SizeValue())
      ->type_name("SIZE")
      ->default_str("256M");
}

void AddTiming(CLI::App& command, WatchFlags& flags) {
  command
      .add_option("--events", flags.events,
                  "how changes become known: auto: fanotify where it is allowed, else inotify, "
                  "else poll")
      ->check(CLI::IsMember({"auto", "fanotify", "inotify", "poll"}))
      ->capture_default_str()
      ->type_name("SOURCE");
  command
      .add_option("--quiet-period", flags.quiet_ms,
                  "a file is read when it has not changed for so many milliseconds")
      ->check(CLI::Range(0, 60'000))
      ->capture_default_str()
      ->type_name("MS");
  command
      .add_option("--longest-delay", flags.delay_ms,
                  "a file that changes all the time is read after so many milliseconds")
      ->check(CLI::Range(0, 3'600'000))
      ->capture_default_str()
      ->type_name("MS");
  command
      .add_option("--poll-every", flags.poll_seconds,
                  "seconds between two scans of what the kernel reports no changes of")
      ->check(CLI::Range(1, 86'400))
      ->capture_default_str()
      ->type_name("S");
  command
      .add_option("--throttle", flags.throttle,
                  "spare the programs that write: 25% of a CPU, or 100/s files (default: no "
                  "bound); merges keep to that part of a CPU, or to the part that reading takes")
      ->type_name("RATE");
}

}  // namespace

void AddWatchCommand(CLI::App& app, Invocation& invocation) {
  auto flags = std::make_shared<WatchFlags>();
  CLI::App* command = app.add_subcommand("watch", "keep an index true to directory trees");
  AddIndexFlag(*command, flags->index);
  command->add_option("paths", flags->roots, "directory trees")->required()->type_name("PATH");
  command->add_flag("--once", flags->once, "bring the index up to date, and end (for cron)");
  command->add_flag("--attributes", flags->attributes,
                    "keep every entry, as pmdex index --attributes: directories, links and files "
                    "without text, too; an index that has them keeps them without this flag");
  AddIndexSettings(*command, *flags);
  AddPlacementFlags(*command, flags->placement);
  AddTiming(*command, *flags);
  command->add_flag("--json", flags->json, "one JSON document on stdout, at the end");
  command->add_flag("--quiet", flags->quiet, "no messages, no report");
  command->footer(kWatchFooter);
  command->callback(
      [flags, &invocation] { invocation.run = [flags] { return RunWatch(*flags); }; });
}

}  // namespace pmdex
