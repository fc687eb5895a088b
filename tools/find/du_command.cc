#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

#include "engine/columns/date_text.h"
#include "tools/find/disk_usage.h"
#include "tools/find/find_command.h"
#include "tools/find/index_entries.h"
#include "tools/find/local_time.h"
#include "tools/json_writer.h"
#include "tools/output.h"

namespace pmdex {
namespace {

struct DuFlags {
  std::string index;
  std::string as_user;  // empty: nothing is hidden
  std::vector<std::string> paths;
  UsageOptions usage;
  int most_depth = -1;
  bool bytes = false;
  bool human = false;
  bool summary = false;
  bool inodes = false;
  bool time = false;
  bool json = false;
};

absl::StatusOr<UsageOptions> UsageOf(const DuFlags& flags) {
  UsageOptions usage = flags.usage;
  usage.apparent_size = flags.bytes;
  if (flags.summary && flags.usage.all_files) {
    return InvalidArgument("du: -s shows totals alone, and -a all files: they exclude each other");
  }
  if (flags.summary && flags.most_depth > 0) {
    return InvalidArgument("du: -s is -d 0, which excludes another -d");
  }
  if (flags.most_depth >= 0) usage.most_depth = static_cast<uint32_t>(flags.most_depth);
  if (flags.summary) usage.most_depth = 0;
  return usage;
}

UsageUnit UnitOf(const DuFlags& flags) {
  if (flags.human) return UsageUnit::kHuman;
  return flags.bytes ? UsageUnit::kBytes : UsageUnit::kBlocks;
}

std::string LineOf(const DuFlags& flags, const Usage& usage) {
  std::string line;
  if (flags.inodes) {
    line = UsageText(usage.count, flags.human ? UsageUnit::kHuman : UsageUnit::kBytes);
  } else {
    line = UsageText(usage.size_bytes, UnitOf(flags));
  }
  if (flags.time) line += "\t" + LocalTimeText(usage.newest_ns, "%Y-%m-%d %H:%M");
  return line + "\t";
}

// Calls `print` for each line, starting point by starting point.
using PrintUsage = std::function<void(const Usage& usage, const std::string& path)>;
absl::Status PrintUsages(const IndexEntries& entries, const StartingPoints& starting,
                         const UsageOptions& usage, const PrintUsage& print) {
  DiskUsage totals(usage, starting.points.size() + starting.missing.size() > 1);
  for (const StartingPoint& point : starting.points) {
    PMDEX_RETURN_IF_ERROR(entries.ForEach(
        point, [&](EntryReader& reader, std::string_view below) { totals.Add(reader, below); }));
    const bool has_root = totals.Finish([&](const Usage& found, std::string_view below) {
      std::string path;
      point.AppendShown(below, path);
      print(found, path);
    });
    if (!has_root) {
      return WithHint(MakeStatus(absl::StatusCode::kFailedPrecondition,
                                 absl::StrCat("du: the index has files below ", point.given,
                                              ", but not the directories")),
                      "pmdex index --attributes keeps directories, too");
    }
  }
  return absl::OkStatus();
}

absl::Status PrintUsagesAsJson(const IndexEntries& entries, const StartingPoints& starting,
                               const UsageOptions& usage) {
  JsonWriter json;
  json.BeginObject().Key("entries").BeginArray();
  PMDEX_RETURN_IF_ERROR(
      PrintUsages(entries, starting, usage, [&json](const Usage& found, const std::string& path) {
        json.BeginObject();
        json.Key("path").Name(path);
        json.Key("count").Uint(found.count);
        json.Key("bytes").Uint(found.size_bytes);
        json.Key("newest").String(FormatDate(found.newest_ns));
        json.EndObject();
      }));
  json.EndArray();
  WriteMissing(MissingParts(entries.snapshot()), json);
  json.EndObject();
  WriteOutput(json.result() + "\n");
  return absl::OkStatus();
}

absl::StatusOr<int> RunDu(const DuFlags& flags) {
  PMDEX_ASSIGN_OR_RETURN(const UsageOptions usage, UsageOf(flags));
  PMDEX_ASSIGN_OR_RETURN(const IndexEntries entries,
                         IndexEntries::Open(flags.index, flags.as_user));
  PMDEX_ASSIGN_OR_RETURN(const StartingPoints starting,
                         FindStartingPoints(entries.snapshot(), flags.paths));
  if (flags.json) {
    PMDEX_RETURN_IF_ERROR(PrintUsagesAsJson(entries, starting, usage));
  } else {
    if (flags.inodes && flags.bytes) Warn("du: --inodes counts entries, whatever -b says");
    PMDEX_RETURN_IF_ERROR(PrintUsages(entries, starting, usage,
                                      [&flags](const Usage& found, const std::string& path) {
                                        WriteOutput(LineOf(flags, found) + path + "\n");
                                      }));
  }
  for (const std::string& path : starting.missing) {
    ReportError(MakeStatus(absl::StatusCode::kNotFound,
                           absl::StrCat(path, ": the index has no such entry")));
  }
  return starting.missing.empty() && entries.is_whole() ? kExitDone : kExitFailed;
}

}  // namespace

void AddDuCommand(CLI::App& app, Invocation& invocation) {
  auto flags = std::make_shared<DuFlags>();
  CLI::App* command = app.add_subcommand(
      "du", "what directories take, as du(1) says it, from an index of their files");
  command->set_help_flag("--help", "print this and exit");
  AddIndexFlag(*command, flags->index);
  AddAsUserFlag(*command, flags->as_user);
  command->add_option("paths", flags->paths, "where to begin (default: where the index begins)")
      ->type_name("PATH");
  command->add_flag("-a,--all", flags->usage.all_files, "a line for every file, too");
  command->add_flag("-b,--bytes", flags->bytes,
                    "lengths of files in bytes instead of blocks of 1,024 bytes that they take");
  command->add_flag("--inodes", flags->inodes, "numbers of entries in the place of what they take");
  command->add_flag("--time", flags->time,
                    "also when an entry at or below each path was last changed");
  command->add_flag("-h,--human-readable", flags->human, "figures such as 1.5M, rounded up");
  command->add_flag("-s,--summarize", flags->summary, "a total for each PATH alone");
  command
      ->add_option("-d,--max-depth", flags->most_depth,
                   "lines for directories at most so far below PATH alone")
      ->check(CLI::NonNegativeNumber)
      ->type_name("N");
  command->add_flag("--json", flags->json,
                    "print one JSON document: entries, each with path, count, bytes and newest");
  command->footer(
      "The index must have been made with pmdex index --attributes. A file with several names "
      "counts once.\n"
      "Exit status:\n"
      "  0  done\n"
      "  1  a PATH is not in the index, or a part of the index cannot be read\n"
      "  2  wrong usage");
  command->callback([flags, &invocation] { invocation.run = [flags] { return RunDu(*flags); }; });
}

}  // namespace pmdex
