#include "tools/run_pmdex.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <new>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

#include "tools/command.h"
#include "tools/command_reference.h"
#include "tools/compare/compare_command.h"
#include "tools/find/find_command.h"
#include "tools/help_text.h"
#include "tools/output.h"
#include "tools/watch/watch_command.h"

namespace pmdex {
namespace {

constexpr char kDescription[] =
    "full-text search over segments that are mapped and searched in place, on persistent memory or "
    "any file system";
constexpr char kFooter[] =
    "Examples:\n"
    "  pmdex index ~/papers                    index a directory tree\n"
    "  pmdex search 'persistent AND memor*'    search it\n"
    "  pmdex serve                             answer queries over HTTP, with a search page\n"
    "  pmdex doctor /mnt/pmem                  see what this machine and path provide\n"
    "\n"
    "'pmdex COMMAND --help' describes a command and its options.\n"
    "Output:\n"
    "Results go to standard output, messages to standard error; an error is one line. In text "
    "output, control characters in names, queries and documents are shown as \\n or \\x1b, so that "
    "each hit is one line. JSON output keeps them.\n"
    "Exit status:\n"
    "  0    success; a search without hits is a success, too\n"
    "  1    the command failed or was done only in part, or its output could not be written\n"
    "  2    wrong usage, or a query that cannot be parsed\n"
    "  3    pmdex verify found damage\n"
    "  130  the command was ended by SIGINT; 143: by SIGTERM; 141: by a closed output pipe";

// `pmdex help [COMMAND]` is `pmdex [COMMAND] --help`.
std::vector<std::string> Arguments(int argc, const char* const* argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  if (!arguments.empty() && arguments[0] == "help") {
    arguments.erase(arguments.begin());
    arguments.resize(arguments.empty() ? 0 : 1);
    arguments.push_back("--help");
  }
  return arguments;
}

// True if the first word is not a command of pmdex. CLI11 would only say that a command is
// required.
bool IsUnknownCommand(const CLI::App& app, const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments[0].starts_with('-')) return false;
  const auto commands = app.get_subcommands([](const CLI::App*) { return true; });
  return std::none_of(commands.begin(), commands.end(),
                      [&](const CLI::App* command) { return command->get_name() == arguments[0]; });
}

absl::Status UsageError(const CLI::ParseError& error) {
  std::string what = error.what();
  for (char& c : what) {
    if (c == '\n') c = ' ';
  }
  return InvalidArgument(what + " (hint: pmdex COMMAND --help lists the flags of a command)");
}

int ParseAndRun(std::vector<std::string> arguments) {
  Invocation invocation;
  if (!arguments.empty() && arguments[0] == "find") TakeFindWords(arguments, invocation);
  CLI::App app;
  DefineCommandLine(app, invocation);
  if (IsUnknownCommand(app, arguments)) {
    return ReportError(InvalidArgument(absl::StrCat("unknown command '", arguments[0],
                                                    "' (hint: pmdex help lists the commands)")));
  }
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());  // as CLI11 wants them
  try {
    app.parse(reversed);
  } catch (const CLI::Success& done) {  // --help, --version
    std::ostringstream text;
    const int status = app.exit(done, text, text);
    WriteOutput(text.str());
    return status;
  } catch (const CLI::ParseError& error) {
    return ReportError(UsageError(error));
  }
  const absl::StatusOr<int> status = invocation.run();
  return status.ok() ? *status : ReportError(status.status());
}

// Writes the rest of the output. Returns the given exit status, or another one if that failed.
int Finish(int status) {
  const OutputResult output = FinishOutput();
  switch (output.state) {
    case OutputState::kWritten:
      return status;
    // This happens only if SIGPIPE is ignored; otherwise the signal has ended the process.
    case OutputState::kPipeClosed:
      return status == kExitDone ? kExitSignal + SIGPIPE : status;
    case OutputState::kFailed:
      break;
  }
  ReportError(output.status);
  return status == kExitDone ? kExitFailed : status;
}

// Where a command has inputs, a flag that may repeat takes one word each time: the next word may be
// an input.
void TakeOneValueAtATime(CLI::App& command) {
  const std::vector<CLI::Option*> options = command.get_options();
  const bool has_inputs = std::any_of(options.begin(), options.end(),
                                      [](CLI::Option* each) { return each->get_positional(); });
  for (CLI::Option* const option : options) {
    const bool is_endless =
        option->get_items_expected_max() >= CLI::detail::expected_max_vector_size;
    if (has_inputs && is_endless && !option->get_positional()) option->allow_extra_args(false);
  }
  for (CLI::App* const child : command.get_subcommands(nullptr)) TakeOneValueAtATime(*child);
}

}  // namespace

void DefineCommandLine(CLI::App& app, Invocation& invocation) {
  app.description(kDescription);
  app.name("pmdex");
  app.footer(kFooter);
  app.formatter_fn([](const CLI::App* command, const std::string&, CLI::AppFormatMode) {
    return RenderHelp(DescribeCommand(*command));
  });
  app.set_help_flag("-h,--help", "print this and exit");
  app.set_version_flag("--version", std::string("pmdex " PMDEX_VERSION),
                       "print the version and exit");
  app.require_subcommand(1);
  AddIndexCommand(app, invocation);
  AddSearchCommand(app, invocation);
  AddInfoCommand(app, invocation);
  AddVerifyCommand(app, invocation);
  AddServeCommand(app, invocation);
  AddBenchServerCommand(app, invocation);
  AddDoctorCommand(app, invocation);
  AddProfileCommand(app, invocation);
  AddDeleteCommand(app, invocation);
  AddMergeCommand(app, invocation);
  AddTierCommand(app, invocation);
  AddSetCommands(app, invocation);
  AddCopyCommand(app, invocation);
  AddCompareCommand(app, invocation);
  AddWatchCommand(app, invocation);
  AddFindCommand(app, invocation);
  AddDuCommand(app, invocation);
  TakeOneValueAtATime(app);
}

// The code of pmdex throws no exceptions, but the standard library does if memory runs out.
int RunPmdex(int argc, const char* const* argv) {
  OccupyStandardDescriptors();
  try {
    return Finish(ParseAndRun(Arguments(argc, argv)));
  } catch (const std::bad_alloc&) {
    std::fputs("pmdex: error: out of memory (hint: give pmdex index a smaller --memory)\n", stderr);
    return kExitFailed;
  }
}

}  // namespace pmdex
