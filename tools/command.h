// What the subcommands share: their registration, the location of the index, warnings and errors.
//
// Each subcommand is one file with an Add...Command function. It declares its flags on the app,
// with a callback that sets Invocation::run. run_pmdex.cc parses the command line, calls run, and
// turns the status into an exit status.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/store/snapshot.h"
#include "pmem/directory.h"
#include "pmem/status.h"
#include "query/searcher.h"
#include "tools/json_writer.h"

namespace pmdex {

// Exit statuses of the program.
inline constexpr int kExitDone = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitDamaged = 3;   // verify only
inline constexpr int kExitSignal = 128;  // plus the number of the signal that ended the command

struct Invocation {
  // Set by the subcommand that was given. Does its work; returns the exit status, or an error to
  // report.
  std::function<absl::StatusOr<int>()> run;
  // The words of `pmdex find` behind its flags, which have a grammar of their own.
  std::vector<std::string> words;
};

void AddIndexCommand(CLI::App& app, Invocation& invocation);
void AddSearchCommand(CLI::App& app, Invocation& invocation);
void AddInfoCommand(CLI::App& app, Invocation& invocation);
void AddVerifyCommand(CLI::App& app, Invocation& invocation);
void AddServeCommand(CLI::App& app, Invocation& invocation);
void AddBenchServerCommand(CLI::App& app, Invocation& invocation);
void AddDoctorCommand(CLI::App& app, Invocation& invocation);
void AddDeleteCommand(CLI::App& app, Invocation& invocation);
void AddMergeCommand(CLI::App& app, Invocation& invocation);
void AddCopyCommand(CLI::App& app, Invocation& invocation);
void AddSetCommands(CLI::App& app, Invocation& invocation);
void AddTierCommand(CLI::App& app, Invocation& invocation);
void AddProfileCommand(CLI::App& app, Invocation& invocation);

// Adds the --index flag. ResolveIndexPath replaces an empty value by the default: $PMDEX_INDEX,
// else /mnt/pmem/pmdex if /mnt/pmem is a writable DAX mount, else ./pmdex-index.
void AddIndexFlag(CLI::App& command, std::string& path);
// --as-user NAME.
void AddAsUserFlag(CLI::App& command, std::string& name);
// Returns an error if the process has not enough descriptors or memory to look at /mnt/pmem, so
// that it never takes another index by mistake.
absl::StatusOr<std::string> ResolveIndexPath(const std::string& flag);

// Opens the directory of an existing index. If there is none, the error has a hint how to create
// it.
absl::StatusOr<std::unique_ptr<Directory>> OpenIndexDirectory(const std::string& path);

// Warns on stderr about each damaged manifest that was passed over for an older generation, and
// about each segment in whose place its copy answers.
void WarnPassedOver(const Snapshot& snapshot);

// Warns on stderr if IndexWriter::Publish left segments without kept copies; the status is its
// missing_copies().
void WarnMissingCopies(const absl::Status& missing_copies);

// The status with the message "WHAT (hint: HINT)".
absl::Status WithHint(const absl::Status& status, std::string_view hint);

// Warns on stderr about each segment that does not answer.
void WarnMissing(const std::vector<MissingPart>& missing);
// Writes the same as keys of the open JSON object: "partial": true, "missing": [{"segment",
// "documents", "reason"}]. Writes nothing if nothing is missing.
void WriteMissing(const std::vector<MissingPart>& missing, JsonWriter& json);

// Prints one line on stderr: "pmdex: warning: " and the message, made printable (printable.h).
void Warn(std::string_view message);
// Prints "pmdex: error: ..." on stderr and returns the exit status for it.
int ReportError(const absl::Status& status);
// The message without the two lines at the end of a query parser's error: the query, and a caret
// below the place.
std::string_view WithoutPlace(const absl::Status& status);

// "1,234,567"; "12.3 MiB".
std::string WithThousands(uint64_t value);
std::string HumanBytes(uint64_t bytes);

}  // namespace pmdex
