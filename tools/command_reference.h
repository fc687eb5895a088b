// The command line of pmdex as plain values: what --help shows, the man pages and the completions
// of shells are made of. It is read off the definition that the parser uses, so that they agree.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace pmdex {

// What may stand behind an option, or in the place of a positional argument.
enum class ValueKind { kNone, kText, kChoice, kFile, kDirectory };

struct OptionReference {
  std::vector<std::string> names;  // "-k", "--json"; none: a positional argument
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

// A part of the text behind the options: a paragraph to be filled, or lines to be left as they are.
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

// "index" of "pmdex index".
std::string ShortName(const CommandReference& command);

CommandReference DescribeCommand(const CLI::App& app);

// Takes a footer apart. A line that ends with a colon, and "Exit status:" at the beginning of one,
// is the title of a section. Lines that are indented or have gaps of three spaces stay as they are;
// others are joined to a paragraph, up to an empty line.
std::vector<NotesSection> ParseNotes(std::string_view footer);

}  // namespace pmdex
