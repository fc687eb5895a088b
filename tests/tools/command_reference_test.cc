#include "tools/command_reference.h"

#include <gmock/gmock.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>

#include "gtest/gtest.h"

#include "tools/help_text.h"
#include "tools/run_pmdex.h"

namespace pmdex {
namespace command_reference_test {

using testing::ElementsAre;

CommandReference Program() {
  Invocation invocation;
  CLI::App app;
  DefineCommandLine(app, invocation);
  return DescribeCommand(app);
}

const OptionReference* Find(const CommandReference& command, const std::string& name) {
  for (const OptionGroup& group : command.groups) {
    for (const OptionReference& option : group.options) {
      if (std::find(option.names.begin(), option.names.end(), name) != option.names.end()) {
        return &option;
      }
    }
  }
  return nullptr;
}

TEST(CommandReference, KnowsWhatEachOptionTakes) {
  const CommandReference program = Program();
  ASSERT_EQ(program.commands.at(0).name, "pmdex index");
  const CommandReference& index = program.commands.at(0);
  const OptionReference* format = Find(index, "--format");
  ASSERT_NE(format, nullptr);
  EXPECT_EQ(format->kind, ValueKind::kChoice);
  EXPECT_THAT(format->choices, ElementsAre("auto", "files", "lines", "jsonl", "trec"));
  EXPECT_THAT(Find(index, "--tier")->choices, ElementsAre("auto", "uncompressed", "compressed"));
  EXPECT_EQ(Find(index, "--index")->kind, ValueKind::kDirectory);
  EXPECT_EQ(Find(index, "--json")->kind, ValueKind::kNone);
  EXPECT_EQ(Find(index, "--memory")->kind, ValueKind::kText);
  EXPECT_EQ(Find(index, "--memory")->value, "SIZE");
  ASSERT_EQ(index.positionals.size(), 1u);
  EXPECT_EQ(index.positionals[0].value, "INPUT");
  EXPECT_EQ(index.positionals[0].kind, ValueKind::kFile);
  EXPECT_TRUE(index.positionals[0].required && index.positionals[0].repeats);
  const auto search =
      std::find_if(program.commands.begin(), program.commands.end(),
                   [](const auto& command) { return command.name == "pmdex search"; });
  ASSERT_NE(search, program.commands.end());
  EXPECT_EQ(Find(*search, "--sort")->value, "FIELD[:asc|desc],...");
  EXPECT_EQ(Find(*search, "--sort")->kind, ValueKind::kText);
  EXPECT_THAT(Find(index, "-h")->names, ElementsAre("-h", "--help"));
}

TEST(CommandReference, TakesAFooterApart) {
  const auto notes = ParseNotes(
      "a paragraph\nof two lines\n\nanother\nExamples:\n  one   table\n  two   lines\ntext\n"
      "Exit status: 0 fine,\n1 not");
  ASSERT_EQ(notes.size(), 3u);
  EXPECT_EQ(notes[0].title, "");
  ASSERT_EQ(notes[0].blocks.size(), 2u);
  EXPECT_EQ(notes[0].blocks[0].text, "a paragraph of two lines");
  EXPECT_EQ(notes[0].blocks[1].text, "another");
  EXPECT_EQ(notes[1].title, "Examples");
  ASSERT_EQ(notes[1].blocks.size(), 2u);
  EXPECT_TRUE(notes[1].blocks[0].verbatim);
  EXPECT_EQ(notes[1].blocks[0].text, "  one   table\n  two   lines");
  EXPECT_FALSE(notes[1].blocks[1].verbatim);
  EXPECT_EQ(notes[2].title, "Exit status");
  EXPECT_EQ(notes[2].blocks[0].text, "0 fine, 1 not");
}

TEST(HelpText, BreaksLinesAtItsWidth) {
  std::string out;
  AppendFilled("one two three", 4, 2, 10, out);
  EXPECT_EQ(out, "one\n  two\n  three\n");
  out.clear();
  AppendFilled("averylongword b", 0, 1, 5, out);
  EXPECT_EQ(out, "averylongword\n b\n");
}

TEST(HelpText, IsNoWiderThanATerminalAndNamesEverything) {
  const CommandReference program = Program();
  std::vector<const CommandReference*> commands = {&program};
  for (const CommandReference& command : program.commands) commands.push_back(&command);
  for (const CommandReference* command : commands) {
    const std::string help = RenderHelp(*command);
    std::istringstream lines(help);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
    for (const OptionGroup& group : command->groups) {
      for (const OptionReference& option : group.options) {
        EXPECT_FALSE(option.description.empty()) << option.names[0];
        for (const std::string& name : option.names) {
          EXPECT_NE(help.find(name), std::string::npos) << name;
        }
      }
    }
  }
}

TEST(HelpText, ShortensADescriptionForAMenu) {
  EXPECT_EQ(ShortDescription("what a document is: auto: a directory"), "what a document is");
  EXPECT_EQ(ShortDescription("hits to return; with 0 none"), "hits to return");
  EXPECT_EQ(ShortDescription("as it is"), "as it is");
}

}  // namespace command_reference_test
}  // namespace pmdex
