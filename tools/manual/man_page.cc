#include "tools/manual/man_page.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"

namespace pmdex {
namespace {

// Escapes text for roff, so that nothing in it is an escape or a request, and hyphens stay ASCII
// hyphens that can be copied.
std::string Roff(const std::string& text) {
  std::string out = absl::StrReplaceAll(text, {{"\\", "\\e"}, {"-", "\\-"}});
  if (out.starts_with('.') || out.starts_with('\'')) out.insert(0, "\\&");
  return out;
}

std::string Upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

std::string Dashed(const std::string& name) {
  return absl::StrReplaceAll(name, {{" ", "-"}});
}

std::string Bold(const std::string& text) {
  return absl::StrCat("\\fB", Roff(text), "\\fR");
}

std::string Argument(const OptionReference& option) {
  const bool fixed = option.kind == ValueKind::kChoice;
  return absl::StrCat(fixed ? "\\fB" : "\\fI", Roff(option.value), "\\fR");
}

std::string Tag(const OptionReference& option) {
  std::string tag;
  for (const std::string& name : option.names) {
    absl::StrAppend(&tag, tag.empty() ? "" : ", ", Bold(name));
  }
  if (!option.value.empty()) absl::StrAppend(&tag, tag.empty() ? "" : " ", Argument(option));
  return tag;
}

void AppendEntry(const std::string& tag, const std::string& text, std::string& out) {
  absl::StrAppend(&out, ".TP\n", tag, "\n", Roff(text), "\n");
}

void AppendSynopsis(const CommandReference& command, std::string& out) {
  absl::StrAppend(&out, ".SH SYNOPSIS\n", Bold(command.name));
  if (!command.commands.empty()) {
    out += " \\fICOMMAND\\fR [\\fIOPTION\\fR]... [\\fIARGUMENT\\fR]...\n";
    return;
  }
  out += " [\\fIOPTION\\fR]...";
  for (const OptionReference& argument : command.positionals) {
    const std::string word = Argument(argument) + (argument.repeats ? "..." : "");
    absl::StrAppend(&out, " ", argument.required ? word : "[" + word + "]");
  }
  out += '\n';
}

void AppendNotes(const NotesSection& section, std::string& out) {
  absl::StrAppend(&out, ".SH ", section.title.empty() ? "NOTES" : Roff(Upper(section.title)), "\n");
  bool first = true;
  for (const NotesBlock& block : section.blocks) {
    if (block.verbatim) {
      out += first ? ".nf\n" : ".PP\n.nf\n";
      for (const absl::string_view line : absl::StrSplit(block.text, '\n')) {
        absl::StrAppend(&out, Roff(std::string(line)), "\n");
      }
      out += ".fi\n";
    } else {
      absl::StrAppend(&out, first ? "" : ".PP\n", Roff(block.text), "\n");
    }
    first = false;
  }
}

}  // namespace

std::string ManPageName(const CommandReference& command) {
  return Dashed(command.name) + ".1";
}

std::string RenderManPage(const CommandReference& command, const std::string& version) {
  const std::string name = Dashed(command.name);
  std::string out =
      absl::StrCat(".TH ", Roff(Upper(name)), " 1 \"\" \"pmdex ", Roff(version),
                   "\" \"pmdex\"\n.SH NAME\n", Roff(name), " \\- ", Roff(command.summary), "\n");
  AppendSynopsis(command, out);
  if (!command.positionals.empty()) out += ".SH ARGUMENTS\n";
  for (const OptionReference& argument : command.positionals) {
    AppendEntry(Tag(argument), argument.description, out);
  }
  if (!command.commands.empty()) out += ".SH COMMANDS\n";
  for (const CommandReference& each : command.commands) {
    AppendEntry(absl::StrCat("\\fB", Roff(Dashed(each.name)), "\\fR(1)"), each.summary, out);
  }
  for (const OptionGroup& group : command.groups) {
    absl::StrAppend(&out, ".SH ", Roff(Upper(group.title)), "\n");
    for (const OptionReference& option : group.options) {
      AppendEntry(Tag(option), option.description, out);
    }
  }
  for (const NotesSection& section : command.notes) AppendNotes(section, out);
  if (command.name != "pmdex") out += ".SH SEE ALSO\n\\fBpmdex\\fR(1)\n";
  return out;
}

}  // namespace pmdex
