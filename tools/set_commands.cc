// The commands `pmdex union`, `intersect`, `difference` and `split`: set operations on indexes by
// the ids of their documents, into new indexes.
#include <chrono>
#include <map>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"

#include "engine/ingest/build_options.h"
#include "engine/ingest/input_directories.h"
#include "engine/store/sets/chosen_documents.h"
#include "engine/store/sets/write_documents.h"
#include "engine/store/snapshot.h"
#include "pmem/directory.h"
#include "tools/command.h"
#include "tools/json_writer.h"
#include "tools/new_index.h"
#include "tools/output.h"
#include "tools/server/writing/index_definition.h"
#include "tools/stop_signals.h"

namespace pmdex {
namespace {

struct SetFlags {
  std::vector<std::string> inputs;
  std::string output;
  uint64_t parts = 0;
  bool json = false;
  bool quiet = false;
};

struct SetReport {
  uint64_t documents = 0;
  uint64_t segments = 0;
  double seconds = 0;
};

absl::StatusOr<std::shared_ptr<const Snapshot>> OpenInput(const std::string& path) {
  PMDEX_ASSIGN_OR_RETURN(const auto directory, OpenIndexDirectory(path));
  PMDEX_ASSIGN_OR_RETURN(auto snapshot, Snapshot::Open(*directory));
  WarnPassedOver(*snapshot);
  return snapshot;
}

// What says what the documents are, and not how their index came to be.
constexpr std::string_view kPropertiesOfDocuments[] = {kDefinitionProperty, kFileRootsProperty,
                                                       kInputDirectoriesProperty, "format"};

// The properties of an index with the documents of both: those that have the same value in both,
// the paths of the files of both, and where relative ones lead.
std::map<std::string, std::string> JoinProperties(const Manifest& a, const Manifest& b) {
  std::map<std::string, std::string> joined;
  for (const auto& [key, value] : a.properties) {
    const auto other = b.properties.find(key);
    if (other != b.properties.end() && other->second == value) joined.emplace(key, value);
  }
  std::string roots;
  for (const Manifest* manifest : {&a, &b}) {
    const auto of_one = manifest->properties.find(kFileRootsProperty);
    if (of_one == manifest->properties.end()) continue;
    roots = AddFileRoots(std::move(roots), DecodeFileRoots(of_one->second));
  }
  if (!roots.empty()) joined.insert_or_assign(kFileRootsProperty, std::move(roots));
  const auto directories_of = [](const Manifest& manifest) {
    const auto found = manifest.properties.find(kInputDirectoriesProperty);
    return found == manifest.properties.end() ? std::string() : found->second;
  };
  std::string directories = JoinInputDirectories(directories_of(a), directories_of(b));
  if (!directories.empty()) {
    joined.insert_or_assign(kInputDirectoriesProperty, std::move(directories));
  }
  return joined;
}

// like: has the settings, the fields and the properties of the documents.
absl::Status WriteIndex(const ChosenDocuments& documents, const std::string& path,
                        const Manifest& like, std::string origin, const StopSignals& signals,
                        SetReport& report) {
  PMDEX_ASSIGN_OR_RETURN(const NewIndex index, CreateIndex(path, like.settings, std::move(origin)));
  WriteDocumentsOptions options;
  options.stop = [&signals] { return signals.flag().IsSet(); };
  PMDEX_RETURN_IF_ERROR(WriteDocuments(documents, options, *index.writer));
  index.writer->SetFields(like.fields);
  for (const std::string_view key : kPropertiesOfDocuments) {
    const auto property = like.properties.find(std::string(key));
    if (property == like.properties.end()) continue;
    index.writer->SetProperty(std::string(key), property->second);
  }
  PMDEX_RETURN_IF_ERROR(index.writer->Publish());
  for (const ChosenSegment& chosen : documents) report.documents += chosen.count();
  report.segments += index.writer->published().segments.size();
  return absl::OkStatus();
}

void PrintReport(const SetReport& report, const SetFlags& flags) {
  if (flags.json) {
    JsonWriter json;
    json.BeginObject();
    json.Key("documents").Uint(report.documents);
    json.Key("segments").Uint(report.segments);
    json.Key("seconds").Double(report.seconds);
    json.EndObject();
    WriteOutput(json.result() + "\n");
  } else if (!flags.quiet) {
    PrintOutput("%s documents in %s segments, %.1f s\n", WithThousands(report.documents),
                WithThousands(report.segments), report.seconds);
  }
}

// Runs `write` with stop signals. What it has published stays; the rest leaves nothing behind.
template <typename Write>
absl::StatusOr<int> RunAndReport(const SetFlags& flags, const Write& write) {
  const auto start = std::chrono::steady_clock::now();
  const StopSignals signals;
  SetReport report;
  const absl::Status status = write(signals, report);
  if (absl::IsCancelled(status)) {
    ReportError(MakeStatus(absl::StatusCode::kCancelled,
                           absl::StrCat("interrupted by ", StopSignalName(signals.signal()),
                                        ": what is finished stays")));
    return kExitSignal + signals.signal();
  }
  PMDEX_RETURN_IF_ERROR(status);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  PrintReport(report, flags);
  return kExitDone;
}

absl::StatusOr<int> RunSetOperation(const SetFlags& flags, SetOperation operation,
                                    const std::string& name) {
  return RunAndReport(flags, [&](const StopSignals& signals, SetReport& report) -> absl::Status {
    PMDEX_ASSIGN_OR_RETURN(const auto a, OpenInput(flags.inputs[0]));
    PMDEX_ASSIGN_OR_RETURN(const auto b, OpenInput(flags.inputs[1]));
    PMDEX_ASSIGN_OR_RETURN(const auto chosen, ChooseDocuments(operation, *a, *b));
    Manifest like = a->manifest();
    if (operation == SetOperation::kUnion) {
      PMDEX_ASSIGN_OR_RETURN(like.fields, JoinFields(like.fields, b->manifest().fields));
      like.properties = JoinProperties(a->manifest(), b->manifest());
    }
    return WriteIndex(chosen, flags.output, like,
                      absl::StrCat(name, " ", flags.inputs[0], " ", flags.inputs[1]), signals,
                      report);
  });
}

absl::StatusOr<int> RunSplit(const SetFlags& flags) {
  return RunAndReport(flags, [&](const StopSignals& signals, SetReport& report) -> absl::Status {
    PMDEX_ASSIGN_OR_RETURN(const auto index, OpenInput(flags.inputs[0]));
    PMDEX_ASSIGN_OR_RETURN(const auto divided, DivideDocuments(*index, flags.parts));
    for (size_t i = 0; i < divided.size(); ++i) {
      PMDEX_RETURN_IF_ERROR(WriteIndex(
          divided[i], absl::StrCat(flags.output, "/", i), index->manifest(),
          absl::StrCat("part ", i, " of ", flags.parts, " of ", flags.inputs[0]), signals, report));
    }
    return absl::OkStatus();
  });
}

constexpr char kSetFooter[] =
    "Documents that share an id in one index stay or go together, and deleted documents are left\n"
    "out. Both indexes must have the same analyzer, --positions and --store. Neither is changed.\n"
    "Exit status:\n"
    "  0    done\n"
    "  1    it could not be done: an index is missing or damaged, or OUT is not empty\n"
    "  2    wrong usage\n"
    "  130  ended by SIGINT; 143: by SIGTERM; nothing is written";

constexpr char kSplitFooter[] =
    "The parts are OUT/0, OUT/1 and so on: runs of the documents in index order, of equal "
    "lengths.\n"
    "Deleted documents are left out. pmdex union joins parts again.\n"
    "Exit status:\n"
    "  0    done\n"
    "  1    it could not be done: the index is missing or damaged, or a part is there already\n"
    "  2    wrong usage\n"
    "  130  ended by SIGINT; 143: by SIGTERM; parts that were finished stay";

void AddOutputFlags(CLI::App& command, SetFlags& flags, const char* what) {
  command.add_option("--index", flags.output, what)->required()->type_name("OUT");
  command.add_flag("--json", flags.json, "print one JSON document");
  command.add_flag("--quiet", flags.quiet, "print nothing but errors");
}

void AddSetOperation(CLI::App& app, Invocation& invocation, const char* name, const char* what,
                     SetOperation operation) {
  auto flags = std::make_shared<SetFlags>();
  CLI::App* command = app.add_subcommand(name, what);
  command->add_option("inputs", flags->inputs, "the two indexes, A and B")
      ->required()
      ->expected(2)
      ->type_name("A B");
  AddOutputFlags(*command, *flags, "the new index: a directory that is new or empty");
  command->footer(kSetFooter);
  command->callback([flags, operation, name, &invocation] {
    invocation.run = [flags, operation, name] { return RunSetOperation(*flags, operation, name); };
  });
}

void AddSplitCommand(CLI::App& app, Invocation& invocation) {
  auto flags = std::make_shared<SetFlags>();
  CLI::App* command = app.add_subcommand("split", "divide an index into several");
  command->add_option("input", flags->inputs, "the index")->required()->expected(1)->type_name("A");
  command->add_option("--parts", flags->parts, "how many parts")
      ->required()
      ->check(CLI::Range(1, 1'000'000))
      ->type_name("N");
  AddOutputFlags(*command, *flags, "the directory of the parts");
  command->footer(kSplitFooter);
  command->callback(
      [flags, &invocation] { invocation.run = [flags] { return RunSplit(*flags); }; });
}

}  // namespace

void AddSetCommands(CLI::App& app, Invocation& invocation) {
  AddSetOperation(app, invocation, "union", "the documents of two indexes; of an id in both, A's",
                  SetOperation::kUnion);
  AddSetOperation(app, invocation, "intersect", "the documents of A whose ids B has, too",
                  SetOperation::kIntersection);
  AddSetOperation(app, invocation, "difference", "the documents of A whose ids B does not have",
                  SetOperation::kDifference);
  AddSplitCommand(app, invocation);
}

}  // namespace pmdex
