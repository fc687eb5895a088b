#include "tools/find/find_command.h"

#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"

#include "engine/ingest/entries/entry_facts.h"
#include "pmem/text.h"
#include "tools/find/filled_directories.h"
#include "tools/find/find_evaluator.h"
#include "tools/find/find_parser.h"
#include "tools/find/index_entries.h"
#include "tools/find/known_accounts.h"
#include "tools/find/starting_points.h"
#include "tools/output.h"

namespace pmdex {
namespace {

struct FindFlags {
  std::string index;
  std::string as_user;              // empty: nothing is hidden
  std::vector<std::string> unused;  // for the help alone: TakeFindWords has taken them
};

int64_t NowInNanoseconds() {
  timespec now = {};
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * int64_t{1'000'000'000} + now.tv_nsec;
}

bool Uses(const FindNode& node, FindTest test) {
  return node.test == test || std::any_of(node.parts.begin(), node.parts.end(),
                                          [test](const auto& part) { return Uses(*part, test); });
}

// For -newer: the time of an entry of the index. Of another path it is that of the file system, as
// find takes it, unless the user must not look there: then it is as if nothing were there.
absl::StatusOr<int64_t> TimeToCompare(const IndexEntries& entries, const std::string& path) {
  auto indexed = TimeOfPath(entries.snapshot(), path);
  if (!absl::IsNotFound(indexed.status())) return indexed;
  struct stat facts = {};
  int error = lstat(path.c_str(), &facts) == 0 ? 0 : errno;
  // The paths of an index may begin elsewhere.
  std::error_code failed;
  const std::string absolute = std::filesystem::absolute(path, failed).string();
  const bool may_look = !failed && error == 0 && entries.MayShow(absolute, S_ISLNK(facts.st_mode));
  if (entries.hides_some() && !may_look) error = ENOENT;
  if (error == 0) return FactsOf(facts).mtime_ns;
  return MakeStatus(absl::StatusCode::kNotFound,
                    absl::StrCat("find: '", ToAbsl(path), "': ", strerror(error)));
}

absl::Status PrintEntries(const StartingPoint& point, const IndexEntries& entries,
                          FindEvaluator& evaluator) {
  evaluator.Begin(point);
  PMDEX_RETURN_IF_ERROR(entries.ForEachWindow(point, [&](const EntryWindow& window) {
    evaluator.Evaluate(window);
    WriteOutput(evaluator.output());
    evaluator.output().clear();
  }));
  return evaluator.status();
}

absl::StatusOr<int> RunFind(const FindFlags& flags, const std::vector<std::string>& words) {
  FindParserContext context;
  context.now_ns = NowInNanoseconds();
  // Wrong usage is told whether there is an index or not.
  context.time_of = [](const std::string&) { return int64_t{0}; };
  context.check_account = [](FileAttribute, const std::string&) { return absl::OkStatus(); };
  PMDEX_RETURN_IF_ERROR(ParseFind(words, context).status());
  PMDEX_ASSIGN_OR_RETURN(IndexEntries entries, IndexEntries::Open(flags.index, flags.as_user));
  context.time_of = [&entries](const std::string& path) { return TimeToCompare(entries, path); };
  context.check_account = [&entries](FileAttribute attribute, const std::string& name) {
    return CheckAccount(entries.snapshot(), attribute, name);
  };
  PMDEX_ASSIGN_OR_RETURN(const FindCommand command, ParseFind(words, context));
  PMDEX_ASSIGN_OR_RETURN(const StartingPoints starting,
                         FindStartingPoints(entries.snapshot(), command.starting_points));
  FilledDirectories filled;
  if (Uses(*command.expression, FindTest::kHasNoEntries)) {
    PMDEX_ASSIGN_OR_RETURN(filled, FilledDirectories::Find(entries));
  }
  if (command.match.has_value()) PMDEX_RETURN_IF_ERROR(entries.KeepMatches(*command.match));
  FindEvaluator evaluator(command, entries, filled, context.now_ns, isatty(STDOUT_FILENO) == 1);
  for (const StartingPoint& point : starting.points) {
    if (point.is_everything && command.has_depth) {
      return InvalidArgument(
          "find: this index does not say where its trees begin: -maxdepth and -mindepth need a "
          "PATH");
    }
    PMDEX_RETURN_IF_ERROR(PrintEntries(point, entries, evaluator));
  }
  for (const std::string& path : starting.missing) {
    ReportError(MakeStatus(absl::StatusCode::kNotFound,
                           absl::StrCat(path, ": the index has no such entry")));
  }
  return starting.missing.empty() && entries.is_whole() ? kExitDone : kExitFailed;
}

constexpr char kFindFooter[] =
    "Answers come from the index alone, as the files were when they were indexed. Directories,\n"
    "links, and files without text are in an index that was made with --attributes. Without a\n"
    "PATH, find begins where the index does. A PATH is one that was indexed, or lies below it;\n"
    "that of -newer may also be another file. A DATE is such as 2026-01-31 or '2026-01-31 10:20'.\n"
    "Predicates:\n"
    "  -name -iname -path -ipath PATTERN      -type f,d,l,p,s,b,c      -empty\n"
    "  -size [+-]N[cwbkMG]                    -links -inum [+-]N\n"
    "  -mtime [+-]DAYS  -mmin [+-]MINUTES     -newer PATH  -newermt DATE\n"
    "  -user -group NAME  -uid -gid [+-]N     -perm [-/]MODE\n"
    "  -maxdepth N  -mindepth N               -true  -false\n"
    "  ( E )   ! E   -not E   E -a E   E -o E\n"
    "  --match QUERY                          what pmdex search finds\n"
    "Actions:\n"
    "  -print (the default)   -print0   -ls\n"
    "Examples:\n"
    "  pmdex find -name '*.h' -size +1M           large headers\n"
    "  pmdex find src --match 'lock AND free' -print0 | xargs -0 wc\n"
    "  pmdex find --index ./x /srv -type d -empty -ls\n"
    "Exit status:\n"
    "  0  done, whether something was found or not\n"
    "  1  a PATH is not in the index, that of -newer does not exist, a user or group is not\n"
    "     known, or a part of the index cannot be read\n"
    "  2  wrong usage, or an unknown predicate";

}  // namespace

void TakeFindWords(std::vector<std::string>& arguments, Invocation& invocation) {
  size_t own = 1;
  while (own < arguments.size() && arguments[own].starts_with("--") &&
         !arguments[own].starts_with("--match")) {
    const bool has_value =
        arguments[own].find('=') != std::string::npos || arguments[own] == "--help";
    own = std::min(own + (has_value ? 1 : 2), arguments.size());
  }
  if (own == 1 && arguments.size() == 2 && arguments[1] == "-h") return;
  invocation.words.assign(arguments.begin() + static_cast<ptrdiff_t>(own), arguments.end());
  arguments.resize(own);
}

void AddFindCommand(CLI::App& app, Invocation& invocation) {
  auto flags = std::make_shared<FindFlags>();
  CLI::App* command =
      app.add_subcommand("find", "find files by their attributes, as find(1) does, in an index");
  AddIndexFlag(*command, flags->index);
  AddAsUserFlag(*command, flags->as_user);
  command
      ->add_option("words", flags->unused,
                   "where to begin, and what to look for, as find(1) takes it")
      ->type_name("PATH|PREDICATE");
  command->footer(kFindFooter);
  command->callback([flags, &invocation] {
    invocation.run = [flags, &invocation] { return RunFind(*flags, invocation.words); };
  });
}

}  // namespace pmdex
