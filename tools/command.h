// What the subcommands share: how they are registered, where the index is, how errors are told.
//
// Each subcommand is one file with an Add...Command function: it declares its flags on the app and
// puts what is to be done into Invocation::run. run_pmdex.cc parses the command line, calls run,
// and turns the status into an exit status.
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
inline constexpr int kExitSignal = 128;  // and its number: ended early because of it

struct Invocation {
  // Set by the subcommand that was given. Returns the exit status when the status is OK.
  std::function<absl::StatusOr<int>()> run;
};

void AddIndexCommand(CLI::App& app, Invocation& invocation);
void AddSearchCommand(CLI::App& app, Invocation& invocation);
void AddInfoCommand(CLI::App& app, Invocation& invocation);
void AddVerifyCommand(CLI::App& app, Invocation& invocation);
void AddDoctorCommand(CLI::App& app, Invocation& invocation);

// The --index flag, with the default store behind it: $PMDEX_INDEX, else /mnt/pmem/pmdex when
// /mnt/pmem is a writable DAX mount, else ./pmdex-index.
void AddIndexFlag(CLI::App& command, std::string& path);
// An error when this process lacks what it needs to find that out: another index must not be taken.
absl::StatusOr<std::string> ResolveIndexPath(const std::string& flag);

// The directory of an index that must exist; the error has a hint how to make one.
absl::StatusOr<std::unique_ptr<Directory>> OpenIndexDirectory(const std::string& path);

// Tells on stderr which damaged manifests an older generation stands in for.
void WarnPassedOver(const Snapshot& snapshot);

// "WHAT (hint: HINT)" with the status' code.
absl::Status WithHint(const absl::Status& status, std::string_view hint);

// Tells on stderr which segments do not answer, one warning each.
void WarnMissing(const std::vector<MissingPart>& missing);
// The same as keys of a JSON object, only when there are any: "partial": true, "missing":
// [{"segment", "documents", "reason"}].
void WriteMissing(const std::vector<MissingPart>& missing, JsonWriter& json);

// One line on stderr, "pmdex: warning: ...", as MessageLine makes it (printable.h).
void Warn(std::string_view message);
// Prints "pmdex: error: ..." on stderr and returns the exit status that fits.
int ReportError(const absl::Status& status);
// The message without the place in the query that an error of a parser ends with: two more lines,
// the query and a caret below it.
std::string_view WithoutPlace(const absl::Status& status);

// "1,234,567"; "12.3 MiB".
std::string WithThousands(uint64_t value);
std::string HumanBytes(uint64_t bytes);

}  // namespace pmdex
