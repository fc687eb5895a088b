#include "tools/command.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "pmem/exhaustion.h"
#include "pmem/file_descriptor.h"
#include "pmem/granularity_probe.h"
#include "pmem/text.h"
#include "tools/flag_checks.h"
#include "tools/printable.h"

namespace pmdex {
namespace {

constexpr char kPmemMount[] = "/mnt/pmem";

absl::StatusOr<bool> IsWritableDax(const std::string& path) {
  const bool writable = access(path.c_str(), W_OK) == 0;
  const FileDescriptor fd(writable ? open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1);
  if (!fd.valid()) {
    if (IsExhaustion(errno)) return ExhaustionStatus(errno, path);
    return false;
  }
  PMDEX_ASSIGN_OR_RETURN(const StoreGranularity granularity, ProbeGranularity(fd.get()));
  return granularity != StoreGranularity::kPage;
}

// The end of a query parser's message: a newline, the query, a newline, spaces and a caret. Empty
// if the message does not end like that.
std::string_view PlaceOf(std::string_view message) {
  const size_t caret_line = message.rfind('\n');
  if (caret_line == message.npos || caret_line == 0 || !message.ends_with('^')) return {};
  const std::string_view spaces = message.substr(caret_line + 1, message.size() - caret_line - 2);
  const size_t query_line = message.rfind('\n', caret_line - 1);
  const bool is_place = spaces.find_first_not_of(' ') == spaces.npos && query_line != message.npos;
  return is_place ? message.substr(query_line) : std::string_view();
}

}  // namespace

void AddIndexFlag(CLI::App& command, std::string& path) {
  command
      .add_option("--index", path,
                  "the index directory (default: $PMDEX_INDEX, else /mnt/pmem/pmdex when /mnt/pmem "
                  "is a writable DAX mount, else ./pmdex-index)")
      ->check(NotEmpty())
      ->type_name("DIR");
}

void AddAsUserFlag(CLI::App& command, std::string& name) {
  command
      .add_option("--as-user", name,
                  "show only files that this user (a name or a number) could reach and read when "
                  "they were indexed, and can now (docs/PERMISSIONS.md)")
      ->check(NotEmpty())
      ->type_name("USER");
}

absl::StatusOr<std::string> ResolveIndexPath(const std::string& flag) {
  if (!flag.empty()) return flag;
  if (const char* environment = std::getenv("PMDEX_INDEX");
      environment != nullptr && *environment != '\0') {
    return std::string(environment);
  }
  PMDEX_ASSIGN_OR_RETURN(const bool on_dax, IsWritableDax(kPmemMount));
  return on_dax ? absl::StrCat(kPmemMount, "/pmdex") : "pmdex-index";
}

absl::StatusOr<std::unique_ptr<Directory>> OpenIndexDirectory(const std::string& path) {
  auto directory = OpenFileDirectory(path, {});
  if (absl::IsNotFound(directory.status())) {
    return MakeStatus(absl::StatusCode::kNotFound,
                      absl::StrCat("no index in ", path, " (hint: pmdex index --index ", path,
                                   " INPUT... makes one)"));
  }
  return directory;
}

void WarnPassedOver(const Snapshot& snapshot) {
  for (const absl::Status& damage : snapshot.passed_over()) {
    Warn(absl::StrCat(ToAbsl(Message(damage)), "; generation ", snapshot.manifest().generation,
                      " is used instead"));
  }
  for (const QuarantinedSegment& segment : snapshot.replaced()) {
    Warn(absl::StrCat(segment.file_name, " cannot be used, and its copy answers: ",
                      ToAbsl(Message(segment.reason)), " (hint: pmdex tier repair)"));
  }
}

void WarnMissingCopies(const absl::Status& missing_copies) {
  if (!missing_copies.ok()) Warn(Message(missing_copies));
}

void WarnMissing(const std::vector<MissingPart>& missing) {
  for (const MissingPart& part : missing) {
    Warn(absl::StrCat(WithThousands(part.documents),
                      part.documents == 1 ? " document is" : " documents are",
                      " missing: ", part.reason));
  }
}

void WriteMissing(const std::vector<MissingPart>& missing, JsonWriter& json) {
  if (missing.empty()) return;
  json.Key("partial").Bool(true);
  json.Key("missing").BeginArray();
  for (const MissingPart& part : missing) {
    json.BeginObject();
    json.Key("segment").String(part.file);
    json.Key("documents").Uint(part.documents);
    json.Key("reason").String(part.reason);
    json.EndObject();
  }
  json.EndArray();
}

absl::Status WithHint(const absl::Status& status, std::string_view hint) {
  return MakeStatus(status.code(),
                    absl::StrCat(ToAbsl(Message(status)), " (hint: ", ToAbsl(hint), ")"));
}

void Warn(std::string_view message) {
  absl::FPrintF(stderr, "%s\n", MessageLine("pmdex: warning: ", message));
}

std::string_view WithoutPlace(const absl::Status& status) {
  const std::string_view message = Message(status);
  return message.substr(0, message.size() - PlaceOf(message).size());
}

int ReportError(const absl::Status& status) {
  absl::FPrintF(stderr, "%s\n", MessageLine("pmdex: error: ", WithoutPlace(status)));
  // On a terminal the place in the query is shown, too; a script gets one line.
  if (std::string_view place = PlaceOf(Message(status));
      !place.empty() && isatty(STDERR_FILENO) != 0) {
    place.remove_prefix(1);
    const size_t line_end = place.find('\n');
    absl::FPrintF(stderr, "%s\n%s\n", BlankControls(place.substr(0, line_end)),
                  ToAbsl(place.substr(line_end + 1)));
  }
  return absl::IsInvalidArgument(status) ? kExitUsage : kExitFailed;
}

std::string WithThousands(uint64_t value) {
  std::string digits = absl::StrCat(value);
  for (size_t i = digits.size(); i > 3;) {
    i -= 3;
    digits.insert(i, ",");
  }
  return digits;
}

std::string HumanBytes(uint64_t bytes) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(kUnits)) {
    value /= 1024;
    ++unit;
  }
  return unit == 0 ? absl::StrCat(bytes, " B") : absl::StrFormat("%.1f %s", value, kUnits[unit]);
}

}  // namespace pmdex
