// The command `pmdex verify`: reads the whole index and checks every checksum and every invariant.
// The exit status is 3 if it finds damage.
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "engine/store/store_verifier.h"
#include "tools/command.h"
#include "tools/json_writer.h"
#include "tools/output.h"
#include "tools/printable.h"

namespace pmdex {
namespace {

struct VerifyFlags {
  std::string index;
  bool json = false;
  bool quiet = false;
};

void PrintJson(const VerifyReport& report) {
  JsonWriter json;
  json.BeginObject();
  json.Key("ok").Bool(report.findings.empty());
  json.Key("generation").Uint(report.generation);
  json.Key("segments").Uint(report.segments);
  if (report.copies > 0) json.Key("copies").Uint(report.copies);
  json.Key("pending_segments").Uint(report.pending_segments);
  json.Key("bytes").Uint(report.bytes);
  json.Key("findings").BeginArray();
  for (const Finding& finding : report.findings) {
    json.BeginObject();
    json.Key("file").Name(finding.file);
    json.Key("section").String(finding.section);
    json.Key("offset").Uint(finding.offset);
    json.Key("what").Name(finding.what);
    json.EndObject();
  }
  json.EndArray().EndObject();
  WriteOutput(json.result() + "\n");
}

void PrintText(const VerifyReport& report) {
  for (const Finding& finding : report.findings) {
    PrintOutput("%s: section %s: offset %d: %s\n", Printable(finding.file),
                Printable(finding.section), finding.offset, Printable(finding.what));
  }
  if (report.findings.empty()) {
    PrintOutput("ok: generation %d, %d segments%s%s, %s read, no damage\n", report.generation,
                report.segments,
                report.copies == 0 ? "" : absl::StrFormat(" and %d copies", report.copies),
                report.pending_segments == 0
                    ? ""
                    : absl::StrFormat(" and %d of an unfinished build", report.pending_segments),
                HumanBytes(report.bytes));
  }
}

absl::StatusOr<int> RunVerify(const VerifyFlags& flags) {
  PMDEX_ASSIGN_OR_RETURN(const std::string path, ResolveIndexPath(flags.index));
  PMDEX_ASSIGN_OR_RETURN(auto directory, OpenIndexDirectory(path));
  PMDEX_ASSIGN_OR_RETURN(const VerifyReport report, VerifyStore(*directory));
  if (flags.json) {
    PrintJson(report);
  } else if (!flags.quiet || !report.findings.empty()) {
    PrintText(report);
  }
  if (report.findings.empty()) return kExitDone;
  ReportError(DataLoss(
      absl::StrCat(directory->path(), " is damaged: ", report.findings.size(), " findings")));
  return kExitDamaged;
}

}  // namespace

void AddVerifyCommand(CLI::App& app, Invocation& invocation) {
  auto flags = std::make_shared<VerifyFlags>();
  CLI::App* command = app.add_subcommand(
      "verify", "read everything, check every checksum and every structural invariant");
  AddIndexFlag(*command, flags->index);
  command->add_flag("--json", flags->json, "print one JSON document");
  command->add_flag("--quiet", flags->quiet, "print nothing if there is no damage");
  command->footer(
      "Exit status:\n"
      "  0  no damage found\n"
      "  1  the index could not be checked\n"
      "  2  wrong usage\n"
      "  3  damage found");
  command->callback(
      [flags, &invocation] { invocation.run = [flags] { return RunVerify(*flags); }; });
}

}  // namespace pmdex
