#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"

#include "tools/help_text.h"
#include "tools/manual/completion.h"

namespace pmdex {
namespace {

// Escapes text for a single-quoted specification, in which brackets and colons separate the parts.
std::string ZshPart(const std::string& text) {
  return absl::StrReplaceAll(
      text, {{"\\", "\\\\"}, {"'", "'\\''"}, {"[", "\\["}, {"]", "\\]"}, {":", "\\:"}});
}

std::string ZshAction(const OptionReference& option) {
  switch (option.kind) {
    case ValueKind::kChoice:
      return absl::StrCat("(", absl::StrJoin(option.choices, " "), ")");
    case ValueKind::kFile:
      return "_files";
    case ValueKind::kDirectory:
      return "_files -/";
    case ValueKind::kNone:
    case ValueKind::kText:
      break;
  }
  return " ";
}

// Appends one specification for each name of the option; each excludes the other names.
void AppendZshOption(const OptionReference& option, std::string& out) {
  const std::string exclusion =
      option.names.size() > 1 ? absl::StrCat("(", absl::StrJoin(option.names, " "), ")") : "";
  for (const std::string& name : option.names) {
    const bool joins = option.kind != ValueKind::kNone && name.starts_with("--");
    absl::StrAppend(&out, "        '", exclusion, name, joins ? "=" : "", "[",
                    ZshPart(ShortDescription(option.description)), "]");
    if (option.kind != ValueKind::kNone) {
      absl::StrAppend(&out, ":", ZshPart(option.value), ":", ZshAction(option));
    }
    out += "' \\\n";
  }
}

}  // namespace

std::string RenderZshCompletion(const CommandReference& program) {
  std::string commands;
  std::string cases;
  for (const CommandReference& command : program.commands) {
    absl::StrAppend(&commands, "    '", ShortName(command), ":", ZshPart(command.summary), "'\n");
    absl::StrAppend(&cases, "    ", ShortName(command), ")\n      _arguments \\\n");
    for (const OptionGroup& group : command.groups) {
      for (const OptionReference& option : group.options) AppendZshOption(option, cases);
    }
    for (const OptionReference& argument : command.positionals) {
      absl::StrAppend(&cases, "        '", argument.repeats ? "*" : "1", ":",
                      ZshPart(argument.value), ":", ZshAction(argument), "' \\\n");
    }
    cases += "      ;;\n";
  }
  return absl::StrCat(R"(#compdef pmdex
# Completion of pmdex in zsh. Generated from the definition of its command line.

_pmdex() {
  local curcontext=$curcontext state line
  typeset -A opt_args
  local -a commands=(
)",
                      commands, R"(  )
  _arguments -C '(-)'{-h,--help}'[help]' '(-)--version[version]' '1:COMMAND:->command' '*::ARGUMENT:->argument'
  case $state in
    command) _describe command commands; return ;;
    argument) ;;
    *) return ;;
  esac
  case $words[1] in
)",
                      cases, R"(    help) _describe command commands ;;
  esac
}

_pmdex "$@"
)");
}

}  // namespace pmdex
