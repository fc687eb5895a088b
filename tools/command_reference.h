// A description of the command line of pmdex as plain values. --help, the man pages and the shell
// completions are made from it. It is derived from the definition that the parser uses, so that all
// of them agree with it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace pmdex {

// What kind of value an option or a positional argument takes.
enum class ValueKind { kNone, kText, kChoice, kFile, kDirectory };

struct OptionReference {
  std::vector<std::string> names;  // "-k", "--json"; empty for a positional argument
  ValueKind kind = ValueKind::kNone;
  std::string value;                 // "SIZE", "on|off"; empty for kNone
  std::vector<std::string> choices;  // of kChoice
  std::string description;
  bool required = false;
  bool repeats = false;  // a positional argument that takes several words
};

struct OptionGroup {
  std::string title;
  std::vector<OptionReference> options;
};

// A part of the text after the options: a paragraph to wrap, or lines to leave as they are.
struct NotesBlock {
  bool verbatim = false;
  std::string text;
};
struct NotesSection {
  std::string title;  // empty: none
  std::vector<NotesBlock> blocks;
};

struct CommandReference {
  std::string name;     // "pmdex", "pmdex index"
  std::string summary;  // without a full stop
  std::vector<OptionReference> positionals;
  std::vector<OptionGroup> groups;
  std::vector<NotesSection> notes;
  std::vector<CommandReference> commands;
};

// "index" for "pmdex index".
std::string ShortName(const CommandReference& command);

CommandReference DescribeCommand(const CLI::App& app);

// Divides a footer into sections. A line that ends with a colon is the title of a section, and so
// is "Exit status:" at the beginning of a line. Lines that are indented or contain three spaces in
// a row stay as they are. Other lines are joined to a paragraph, up to an empty line.
std::vector<NotesSection> ParseNotes(std::string_view footer);

}  // namespace pmdex
