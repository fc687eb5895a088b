#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"

#include "tools/help_text.h"
#include "tools/manual/completion.h"

namespace pmdex {
namespace {

std::string FishQuoted(const std::string& text) {
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"'", "\\'"}}), "'");
}

std::string FishValue(const OptionReference& option) {
  switch (option.kind) {
    case ValueKind::kNone:
      return "";
    case ValueKind::kChoice:
      return " -x -a " + FishQuoted(absl::StrJoin(option.choices, " "));
    case ValueKind::kFile:
      return " -r -F";
    case ValueKind::kDirectory:
      return " -x -a '(__fish_complete_directories)'";
    case ValueKind::kText:
      break;
  }
  return " -x";
}

void AppendFishOption(const std::string& begin, const OptionReference& option, std::string& out) {
  absl::StrAppend(&out, begin);
  for (const std::string& name : option.names) {
    absl::StrAppend(&out,
                    name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1));
  }
  absl::StrAppend(&out, FishValue(option), " -d ", FishQuoted(ShortDescription(option.description)),
                  "\n");
}

}  // namespace

std::string RenderFishCompletion(const CommandReference& program) {
  std::string out =
      "# Completion of pmdex in fish. Generated from the definition of its command line.\n"
      "complete -c pmdex -f\n";
  for (const OptionGroup& group : program.groups) {
    for (const OptionReference& option : group.options) {
      AppendFishOption("complete -c pmdex -n __fish_use_subcommand", option, out);
    }
  }
  std::string commands;
  for (const CommandReference& command : program.commands) {
    const std::string name = ShortName(command);
    absl::StrAppend(&commands, commands.empty() ? "" : " ", name);
    absl::StrAppend(&out, "complete -c pmdex -n __fish_use_subcommand -a ", name, " -d ",
                    FishQuoted(command.summary), "\n");
    const std::string begin =
        absl::StrCat("complete -c pmdex -n '__fish_seen_subcommand_from ", name, "'");
    for (const OptionGroup& group : command.groups) {
      for (const OptionReference& option : group.options) AppendFishOption(begin, option, out);
    }
    if (!command.positionals.empty() && command.positionals[0].kind == ValueKind::kFile) {
      absl::StrAppend(&out, begin, " -F\n");
    }
  }
  absl::StrAppend(
      &out, "complete -c pmdex -n __fish_use_subcommand -a help -d 'help on a command'\n",
      "complete -c pmdex -n '__fish_seen_subcommand_from help' -a ", FishQuoted(commands), "\n");
  return out;
}

}  // namespace pmdex
