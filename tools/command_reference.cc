#include "tools/command_reference.h"

#include <CLI/CLI.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

#include "pmem/text.h"

namespace pmdex {
namespace {

constexpr std::string_view kExitStatus = "Exit status:";

std::vector<std::string> SplitWords(const std::string& text, char separator) {
  return absl::StrSplit(text, separator, absl::SkipEmpty());
}

// Where this character is first outside of brackets and quotes; npos if nowhere.
size_t FindOutside(std::string_view text, char wanted) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[') ++depth;
    if (text[i] == ']') --depth;
    if (text[i] == '\'') depth = depth == 0 ? 1 : 0;
    if (depth == 0 && text[i] == wanted) return i;
  }
  return text.npos;
}

// CLI11 describes the type as "NAME:{one,other}" or "N:INT in [1 - 9]": the name, then the check.
void DescribeValue(const CLI::Option& option, OptionReference& reference) {
  const std::string type = option.get_type_name();
  reference.value = type.substr(0, FindOutside(type, ':'));
  if (reference.value.empty()) return;
  reference.kind = ValueKind::kText;
  const size_t brace = type.find('{');
  const size_t end = type.find('}', brace);
  if (brace != type.npos && end != type.npos) {
    reference.choices = SplitWords(type.substr(brace + 1, end - brace - 1), ',');
  } else if (FindOutside(reference.value, '|') != type.npos) {
    reference.choices = SplitWords(reference.value, '|');
  }
  if (!reference.choices.empty()) {
    reference.kind = ValueKind::kChoice;
    reference.value.clear();
    for (const std::string& choice : reference.choices) {
      absl::StrAppend(&reference.value, reference.value.empty() ? "" : "|", choice);
    }
  } else if (reference.value == "DIR") {
    reference.kind = ValueKind::kDirectory;
  } else if (reference.value == "FILE" || reference.value == "PATH" || reference.value == "INPUT") {
    reference.kind = ValueKind::kFile;
  }
}

OptionReference DescribeOption(const CLI::Option& option) {
  OptionReference reference;
  for (const std::string& name : option.get_snames()) reference.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) reference.names.push_back("--" + name);
  if (option.get_items_expected_max() > 0) DescribeValue(option, reference);
  reference.description = option.get_description();
  if (const std::string value = option.get_default_str();
      !value.empty() && reference.description.find("(default") == std::string::npos) {
    absl::StrAppend(&reference.description, " (default: ", value, ")");
  }
  reference.required = option.get_required();
  reference.repeats = option.get_positional() && option.get_items_expected_max() > 1;
  return reference;
}

// True if the line belongs to a table or an example.
bool IsVerbatim(std::string_view line) {
  return line.starts_with(' ') || line.find("   ") != line.npos;
}

void AddNotesLine(std::string_view line, bool joins, std::vector<NotesBlock>& blocks) {
  const bool verbatim = IsVerbatim(line);
  if (blocks.empty() || !joins || blocks.back().verbatim != verbatim) {
    blocks.push_back({verbatim, std::string(line)});
  } else {
    absl::StrAppend(&blocks.back().text, verbatim ? "\n" : " ", ToAbsl(line));
  }
}

}  // namespace

std::string ShortName(const CommandReference& command) {
  return command.name.substr(command.name.rfind(' ') + 1);
}

std::vector<NotesSection> ParseNotes(std::string_view footer) {
  std::vector<NotesSection> sections;
  bool joins = false;
  for (const absl::string_view part : absl::StrSplit(ToAbsl(footer), '\n')) {
    std::string_view line = ToStd(part);
    if (line.empty()) {
      joins = false;
      continue;
    }
    const bool is_status = line.starts_with(kExitStatus);
    if (is_status || (!line.starts_with(' ') && line.ends_with(':'))) {
      const size_t size = is_status ? kExitStatus.size() : line.size();
      sections.push_back({std::string(line.substr(0, size - 1)), {}});
      line.remove_prefix(std::min(size + 1, line.size()));
      if (line.empty()) continue;
      joins = false;
    }
    if (sections.empty()) sections.emplace_back();
    AddNotesLine(line, joins, sections.back().blocks);
    joins = true;
  }
  return sections;
}

CommandReference DescribeCommand(const CLI::App& app) {
  CommandReference command;
  const CLI::App* parent = app.get_parent();
  command.name = parent == nullptr ? app.get_name() : parent->get_name() + " " + app.get_name();
  command.summary = app.get_description();
  for (const std::string& title : app.get_groups()) {
    OptionGroup group{title, {}};
    for (const CLI::Option* option : app.get_options()) {
      if (option->get_group() != title) continue;
      (option->get_positional() ? command.positionals : group.options)
          .push_back(DescribeOption(*option));
    }
    if (!title.empty() && !group.options.empty()) command.groups.push_back(std::move(group));
  }
  command.notes = ParseNotes(app.get_footer());
  for (const CLI::App* each : app.get_subcommands([](const CLI::App*) { return true; })) {
    command.commands.push_back(DescribeCommand(*each));
  }
  return command;
}

}  // namespace pmdex
