#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include "tools/manual/completion.h"

namespace pmdex {
namespace {

constexpr char kBegin[] =
    R"(# Completion of pmdex in bash. Generated from the definition of its command line.

_pmdex_words() {
  COMPREPLY=($(compgen -W "$1" -- "$2"))
}

_pmdex_paths() {  # -f files, -d directories
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen "$1" -- "$2")
}

_pmdex() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command= i
  # In --name=value the equals sign is a word of its own.
  if [[ $cur == = ]]; then
    cur=
  elif [[ $prev == = ]]; then
    prev=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for ((i = 1; i < COMP_CWORD; ++i)); do
    if [[ ${COMP_WORDS[i]} != -* ]]; then
      command=${COMP_WORDS[i]}
      break
    fi
  done
  COMPREPLY=()
)";

// The shell command that completes a value; empty if nothing can complete it.
std::string Completer(const OptionReference& option) {
  switch (option.kind) {
    case ValueKind::kChoice:
      return absl::StrCat("_pmdex_words '", absl::StrJoin(option.choices, " "), "' \"$cur\"");
    case ValueKind::kFile:
      return "_pmdex_paths -f \"$cur\"";
    case ValueKind::kDirectory:
      return "_pmdex_paths -d \"$cur\"";
    case ValueKind::kNone:
    case ValueKind::kText:
      break;
  }
  return "";
}

// Appends one case for each option that takes a value.
void AppendValues(const CommandReference& command, std::string& out) {
  for (const OptionGroup& group : command.groups) {
    for (const OptionReference& option : group.options) {
      if (option.kind == ValueKind::kNone) continue;
      const auto pattern = [&](std::string* text, const std::string& name) {
        absl::StrAppend(text, "'", ShortName(command), " ", name, "'");
      };
      absl::StrAppend(&out, "    ", absl::StrJoin(option.names, " | ", pattern), ") ",
                      Completer(option), Completer(option).empty() ? "" : "; ", "return ;;\n");
    }
  }
}

std::string AllNames(const CommandReference& command) {
  std::string names;
  for (const OptionGroup& group : command.groups) {
    for (const OptionReference& option : group.options) {
      absl::StrAppend(&names, names.empty() ? "" : " ", absl::StrJoin(option.names, " "));
    }
  }
  return names;
}

}  // namespace

std::string RenderBashCompletion(const CommandReference& program) {
  std::string out = kBegin;
  out += "  case \"$command $prev\" in\n";
  for (const CommandReference& command : program.commands) AppendValues(command, out);
  out += "  esac\n  case $command in\n";
  std::string commands;
  for (const CommandReference& command : program.commands) {
    absl::StrAppend(&commands, ShortName(command), " ");
    std::string argument = command.positionals.empty() ? "" : Completer(command.positionals[0]);
    if (argument.empty()) argument = ":";
    absl::StrAppend(&out, "    ", ShortName(command), ")\n      if [[ $cur == -* ]]; then\n",
                    "        _pmdex_words '", AllNames(command), "' \"$cur\"\n      else\n        ",
                    argument, "\n      fi ;;\n");
  }
  absl::StrAppend(&out, "    help) _pmdex_words '", commands,
                  "' \"$cur\" ;;\n    '') _pmdex_words '", commands, "help ", AllNames(program),
                  "' \"$cur\" ;;\n  esac\n}\n");
  return out + "complete -F _pmdex pmdex\n";
}

}  // namespace pmdex
