#include "tools/help_text.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

#include "pmem/text.h"

namespace pmdex {
namespace {

constexpr size_t kHelpWidth = 100;
constexpr size_t kHelpIndent = 2;
constexpr size_t kHelpTextColumn = 26;

void AppendHelpEntry(const std::string& left, std::string_view text, std::string& out) {
  absl::StrAppend(&out, std::string(kHelpIndent, ' '), left);
  size_t column = kHelpIndent + left.size();
  if (column + 2 > kHelpTextColumn) {
    out += '\n';
    column = 0;
  }
  out.append(kHelpTextColumn - column, ' ');
  AppendFilled(text, kHelpTextColumn, kHelpTextColumn, kHelpWidth, out);
}

std::string NamesOf(const OptionReference& option) {
  std::string names = absl::StrJoin(option.names, ", ");
  if (!option.value.empty()) absl::StrAppend(&names, names.empty() ? "" : " ", option.value);
  return names;
}

void AppendHelpNotes(const NotesSection& section, std::string& out) {
  out += '\n';
  if (!section.title.empty()) absl::StrAppend(&out, section.title, ":\n");
  const size_t indent = section.title.empty() ? 0 : kHelpIndent;
  for (const NotesBlock& block : section.blocks) {
    if (block.verbatim) {
      absl::StrAppend(&out, block.text, "\n");
    } else {
      out.append(indent, ' ');
      AppendFilled(block.text, indent, indent, kHelpWidth, out);
    }
  }
}

std::string UsageOf(const CommandReference& command) {
  std::string usage = absl::StrCat("Usage: ", command.name);
  if (!command.commands.empty()) return usage + " COMMAND [OPTION]... [ARGUMENT]...";
  usage += " [OPTION]...";
  for (const OptionReference& argument : command.positionals) {
    const std::string word = argument.value + (argument.repeats ? "..." : "");
    absl::StrAppend(&usage, " ", argument.required ? word : "[" + word + "]");
  }
  return usage;
}

}  // namespace

std::string ShortDescription(std::string_view description) {
  size_t end = description.size();
  for (const std::string_view stop : {":", ";", " (", ". "}) {
    end = std::min(end, description.find(stop));
  }
  return std::string(description.substr(0, end));
}

void AppendFilled(std::string_view text, size_t column, size_t indent, size_t width,
                  std::string& out) {
  bool first = true;
  for (const absl::string_view word : absl::StrSplit(ToAbsl(text), ' ', absl::SkipEmpty())) {
    if (!first && column + 1 + word.size() > width) {
      out += '\n';
      out.append(indent, ' ');
      column = indent;
      first = true;
    }
    if (!first) out += ' ';
    column += word.size() + (first ? 0 : 1);
    absl::StrAppend(&out, word);
    first = false;
  }
  out += '\n';
}

std::string RenderHelp(const CommandReference& command) {
  std::string out;
  AppendFilled(command.summary, 0, 0, kHelpWidth, out);
  absl::StrAppend(&out, "\n", UsageOf(command), "\n");
  if (!command.positionals.empty()) out += "\nArguments:\n";
  for (const OptionReference& argument : command.positionals) {
    AppendHelpEntry(argument.value, argument.description, out);
  }
  if (!command.commands.empty()) out += "\nCommands:\n";
  for (const CommandReference& each : command.commands) {
    AppendHelpEntry(ShortName(each), each.summary, out);
  }
  for (const OptionGroup& group : command.groups) {
    absl::StrAppend(&out, "\n", group.title, ":\n");
    for (const OptionReference& option : group.options) {
      AppendHelpEntry(NamesOf(option), option.description, out);
    }
  }
  for (const NotesSection& section : command.notes) AppendHelpNotes(section, out);
  return out;
}

}  // namespace pmdex
