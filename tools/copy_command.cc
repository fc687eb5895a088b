// The command `pmdex copy`: a backup of one generation of an index, while others may write it.
#include <chrono>

#include "absl/strings/str_cat.h"

#include "engine/store/known_files/known_files_format.h"
#include "engine/store/sets/copy_index.h"
#include "engine/store/snapshot.h"
#include "engine/store/store_verifier.h"
#include "tools/command.h"
#include "tools/json_writer.h"
#include "tools/new_index.h"
#include "tools/output.h"
#include "tools/stop_signals.h"

namespace pmdex {
namespace {

struct CopyFlags {
  std::string index;
  std::string output;
  bool json = false;
  bool quiet = false;
};

// Reads the copy from its files.
absl::Status VerifyCopy(const Directory& directory) {
  PMDEX_ASSIGN_OR_RETURN(const VerifyReport report, VerifyStore(directory));
  if (report.findings.empty()) return absl::OkStatus();
  const Finding& first = report.findings.front();
  return DataLoss(absl::StrCat("the copy is damaged: ", first.file, ": ", first.what));
}

void PrintCopied(const Snapshot& snapshot, double seconds, const CopyFlags& flags) {
  if (flags.json) {
    JsonWriter json;
    json.BeginObject();
    json.Key("documents").Uint(snapshot.live_doc_count());
    json.Key("segments").Uint(snapshot.segments().size());
    json.Key("generation").Uint(snapshot.manifest().generation);
    json.Key("seconds").Double(seconds);
    json.EndObject();
    WriteOutput(json.result() + "\n");
  } else if (!flags.quiet) {
    PrintOutput("copied generation %d: %s documents in %s segments, %.1f s\n",
                snapshot.manifest().generation, WithThousands(snapshot.live_doc_count()),
                WithThousands(snapshot.segments().size()), seconds);
  }
}

absl::StatusOr<int> RunCopy(const CopyFlags& flags) {
  const auto start = std::chrono::steady_clock::now();
  PMDEX_ASSIGN_OR_RETURN(const std::string path, ResolveIndexPath(flags.index));
  PMDEX_ASSIGN_OR_RETURN(const auto source, OpenIndexDirectory(path));
  PMDEX_ASSIGN_OR_RETURN(const auto snapshot, Snapshot::Open(*source, WithoutAnalysis()));
  WarnPassedOver(*snapshot);
  const StopSignals signals;
  PMDEX_ASSIGN_OR_RETURN(const NewIndex copy, CreateIndex(flags.output, snapshot->settings(),
                                                          absl::StrCat("copy of ", path)));
  for (const auto& [key, value] : snapshot->manifest().properties) {
    // These files are not copied: a watch takes the copy over as if no watch had made it.
    if (key != kKnownFilesProperty) copy.writer->SetProperty(key, value);
  }
  const absl::Status status = CopyIndex(
      *snapshot, [&signals] { return signals.flag().IsSet(); }, *copy.writer);
  if (absl::IsCancelled(status)) {
    ReportError(MakeStatus(
        absl::StatusCode::kCancelled,
        absl::StrCat("interrupted by ", StopSignalName(signals.signal()), ": nothing is copied")));
    return kExitSignal + signals.signal();
  }
  PMDEX_RETURN_IF_ERROR(status);
  PMDEX_RETURN_IF_ERROR(copy.writer->Publish());
  WarnMissingCopies(copy.writer->missing_copies());
  PMDEX_RETURN_IF_ERROR(VerifyCopy(*copy.directory));
  PrintCopied(*snapshot,
              std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
              flags);
  return kExitDone;
}

constexpr char kCopyFooter[] =
    "The copy is an index of its own with the same segments; segments of all places come into it.\n"
    "Others may search and write the index meanwhile: the copy has the generation that was the\n"
    "newest when it began. It is read again, and verified, before the command ends. To restore "
    "it,\n"
    "use it, or copy it back.\n"
    "Exit status:\n"
    "  0    copied and verified\n"
    "  1    it could not be done: the index is missing or damaged, or OUT is not empty\n"
    "  2    wrong usage\n"
    "  130  ended by SIGINT; 143: by SIGTERM; nothing is copied";

}  // namespace

void AddCopyCommand(CLI::App& app, Invocation& invocation) {
  auto flags = std::make_shared<CopyFlags>();
  CLI::App* command = app.add_subcommand("copy", "back an index up, while others write it");
  command->add_option("out", flags->output, "the copy: a directory that is new or empty")
      ->required()
      ->type_name("OUT");
  AddIndexFlag(*command, flags->index);
  command->add_flag("--json", flags->json, "print one JSON document");
  command->add_flag("--quiet", flags->quiet, "print nothing but errors");
  command->footer(kCopyFooter);
  command->callback([flags, &invocation] { invocation.run = [flags] { return RunCopy(*flags); }; });
}

}  // namespace pmdex
