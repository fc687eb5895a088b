#include "tools/find/find_command.h"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

#include "pmem/text.h"
#include "tools/find/find_evaluator.h"
#include "tools/find/find_parser.h"
#include "tools/find/index_entries.h"
#include "tools/find/starting_points.h"
#include "tools/output.h"

namespace pmdex {
namespace {

constexpr size_t kOutputBytes = size_t{256} << 10;

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
  return node.test == test || (node.left != nullptr && Uses(*node.left, test)) ||
         (node.right != nullptr && Uses(*node.right, test));
}

// Of all entries of the index, whatever the starting points and the query.
absl::StatusOr<FilledDirectories> FindFilledDirectories(const IndexEntries& entries) {
  FilledDirectories filled;
  StartingPoint everything;
  everything.is_everything = true;
  const auto add = [&filled](EntryReader& reader, std::string_view) {
    filled.emplace(reader.text(FileAttribute::kDir));
  };
  PMDEX_RETURN_IF_ERROR(entries.ForEach(everything, add));
  return filled;
}

uint32_t DepthOf(std::string_view below) {
  if (below.empty()) return 0;
  return 1 + static_cast<uint32_t>(std::count(below.begin(), below.end(), '/'));
}

absl::Status PrintEntries(const FindCommand& command, const StartingPoint& point,
                          const IndexEntries& entries, FindEvaluator& evaluator) {
  std::string shown;
  const auto look_at = [&](EntryReader& reader, std::string_view below) {
    if (command.has_depth) {
      const uint32_t depth = DepthOf(below);
      if (depth < command.least_depth || depth > command.most_depth) return;
    }
    shown.clear();
    point.AppendShown(below, shown);
    evaluator.Evaluate(*command.expression, reader, shown);
    if (evaluator.output().size() >= kOutputBytes) {
      WriteOutput(evaluator.output());
      evaluator.output().clear();
    }
  };
  absl::Status status = entries.ForEach(point, look_at);
  WriteOutput(evaluator.output());
  evaluator.output().clear();
  return status;
}

absl::StatusOr<int> RunFind(const FindFlags& flags, const std::vector<std::string>& words) {
  FindParserContext context;
  context.now_ns = NowInNanoseconds();
  // Wrong usage is told whether there is an index or not.
  context.time_of = [](const std::string&) { return int64_t{0}; };
  PMDEX_RETURN_IF_ERROR(ParseFind(words, context).status());
  PMDEX_ASSIGN_OR_RETURN(IndexEntries entries, IndexEntries::Open(flags.index, flags.as_user));
  context.time_of = [&entries](const std::string& path) {
    return TimeOfPath(entries.snapshot(), path);
  };
  PMDEX_ASSIGN_OR_RETURN(const FindCommand command, ParseFind(words, context));
  PMDEX_ASSIGN_OR_RETURN(const StartingPoints starting,
                         FindStartingPoints(entries.snapshot(), command.starting_points));
  FilledDirectories filled;
  if (Uses(*command.expression, FindTest::kEmpty)) {
    PMDEX_ASSIGN_OR_RETURN(filled, FindFilledDirectories(entries));
  }
  if (command.match.has_value()) PMDEX_RETURN_IF_ERROR(entries.KeepMatches(*command.match));
  FindEvaluator evaluator(filled, context.now_ns, isatty(STDOUT_FILENO) == 1);
  for (const StartingPoint& point : starting.points) {
    if (point.is_everything && command.has_depth) {
      return InvalidArgument(
          "find: this index does not say where its trees begin: -maxdepth and -mindepth need a "
          "PATH");
    }
    PMDEX_RETURN_IF_ERROR(PrintEntries(command, point, entries, evaluator));
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
    "PATH, find begins where the index does. A PATH is one that was indexed, or lies below it.\n"
    "Predicates:\n"
    "  -name -iname -path -ipath PATTERN      -type f,d,l,p,s,b,c      -empty\n"
    "  -size [+-]N[cwbkMG]                    -links -inum [+-]N\n"
    "  -mtime [+-]DAYS  -mmin [+-]MINUTES     -newer PATH\n"
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
    "  1  a PATH is not in the index, or a part of the index cannot be read\n"
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
