#include "tools/find/index_entries.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>
#include <vector>

#include "tests/support/run_program.h"
#include "tools/find/find_command.h"
#include "tools/find/find_evaluator.h"
#include "tools/find/find_parser.h"
#include "tools/find/starting_points.h"

namespace pmdex {
namespace index_entries_test {

using Words = std::vector<std::string>;

class IndexEntriesTest : public testing::Test {
 protected:
  void Index() {
    directory_.Write("tree/a/x", "pear");
    directory_.Write("tree/a.b", "apple");
    directory_.Write("treehouse/y", "pear");
    const ProgramResult result =
        RunProgram({PMDEX_BINARY, "index", directory_ / "tree", directory_ / "treehouse", "--index",
                    directory_ / "index", "--attributes", "--quiet"});
    ASSERT_EQ(result.exit_status, 0) << result.err;
  }
  StartingPoint Point(const IndexEntries& entries, const std::string& path) {
    const auto found = FindStartingPoints(entries.snapshot(), std::vector<std::string>{path});
    EXPECT_TRUE(found.ok()) << found.status();
    return found.ok() && !found->points.empty() ? found->points[0] : StartingPoint();
  }
  const TemporaryDirectory directory_;
};

TEST_F(IndexEntriesTest, AreThoseAtAndBelowTheStartingPoint) {
  Index();
  auto entries = IndexEntries::Open(directory_ / "index", "");
  ASSERT_TRUE(entries.ok()) << entries.status();
  const auto below = [&](const std::string& path) {
    Words found;
    const StartingPoint point = Point(*entries, path);
    EXPECT_TRUE(
        entries
            ->ForEach(point, [&](EntryReader&, std::string_view name) { found.emplace_back(name); })
            .ok());
    return found;
  };
  EXPECT_EQ(below(directory_ / "tree"), (Words{"", "a", "a/x", "a.b"}));
  EXPECT_EQ(below(directory_ / "tree/a"), (Words{"", "x"}));
  EXPECT_EQ(below(directory_ / "treehouse/"), (Words{"", "y"}));
  EXPECT_EQ(below(directory_ / "tree/a.b"), (Words{""}));
  const auto missing = FindStartingPoints(entries->snapshot(), Words{directory_ / "tre"});
  EXPECT_EQ(missing->missing, Words{directory_ / "tre"});
  EXPECT_EQ(FindStartingPoints(entries->snapshot(), {})->points.size(), 2u);
  ASSERT_TRUE(entries->KeepMatches("pear").ok());
  EXPECT_EQ(below(directory_ / "tree"), Words{"a/x"});
  EXPECT_TRUE(entries->is_whole());
}

TEST_F(IndexEntriesTest, TheTimeOfAPathIsThatOfItsEntry) {
  Index();
  const auto entries = IndexEntries::Open(directory_ / "index", "");
  struct stat facts;
  ASSERT_EQ(stat((directory_ / "tree/a.b").c_str(), &facts), 0);
  const auto time_ns = TimeOfPath(entries->snapshot(), directory_ / "tree/a.b");
  ASSERT_TRUE(time_ns.ok()) << time_ns.status();
  EXPECT_EQ(*time_ns, facts.st_mtim.tv_sec * int64_t{1'000'000'000} + facts.st_mtim.tv_nsec);
  EXPECT_TRUE(absl::IsNotFound(TimeOfPath(entries->snapshot(), directory_ / "tree/a.").status()));
}

TEST_F(IndexEntriesTest, ActionsComeEntryByEntryInTheOrderOfTheExpression) {
  Index();
  const auto entries = IndexEntries::Open(directory_ / "index", "");
  const FilledDirectories filled;
  const auto printed = [&](const Words& words) {
    const auto command = ParseFind(words, FindParserContext());
    EXPECT_TRUE(command.ok()) << command.status();
    StartingPoint point = Point(*entries, directory_ / "tree");
    point.given = "t\n";
    FindEvaluator evaluator(*command, *entries, filled, 0, /*is_terminal=*/true);
    evaluator.Begin(point);
    const absl::Status status = entries->ForEachWindow(
        point, [&](const EntryWindow& window) { evaluator.Evaluate(window); });
    EXPECT_TRUE(status.ok() && evaluator.status().ok()) << status << evaluator.status();
    return evaluator.output();
  };
  EXPECT_EQ(printed({"-type", "f", "-name", "*.b", "-print", "-o", "-type", "d", "-print0"}),
            std::string("t\n\0t\n/a\0t?/a.b\n", 15));
  EXPECT_EQ(printed({"-name", "x", "-print", "-print0", "-false", "-o", "-path", "*a*", "-print"}),
            std::string("t?/a\nt?/a/x\nt\n/a/x\0t?/a/x\nt?/a.b\n", 33));
  EXPECT_EQ(printed({"-name", "t?", "-maxdepth", "0"}), "t?\n") << "a point has its given name";
}

TEST(StartingPoint, PathsBelowItAreWrittenAsItWasGiven) {
  StartingPoint point;
  point.given = "x//";
  point.root = "x";
  EXPECT_EQ(point.Below("x"), "");
  EXPECT_EQ(point.Below("x/"), "");
  EXPECT_EQ(point.Below("x//y/z"), "y/z");
  EXPECT_EQ(point.Below("xy"), std::nullopt);
  std::string text;
  point.AppendShown("y/z", text);
  EXPECT_EQ(text, "x//y/z");
  point.given = point.root = "/";
  EXPECT_EQ(point.Below("/etc"), "etc");
  text.clear();
  point.AppendShown("etc", text);
  EXPECT_EQ(text, "/etc");
}

TEST(FindWords, BeginBehindTheFlagsOfPmdex) {
  Invocation invocation;
  Words arguments = {"find", "--index", "d", "--index=e", "tree", "--match", "q", "-name", "x"};
  TakeFindWords(arguments, invocation);
  EXPECT_EQ(arguments, (Words{"find", "--index", "d", "--index=e"}));
  EXPECT_EQ(invocation.words, (Words{"tree", "--match", "q", "-name", "x"}));
  arguments = {"find", "--help"};
  TakeFindWords(arguments, invocation);
  EXPECT_EQ(arguments, (Words{"find", "--help"}));
  EXPECT_TRUE(invocation.words.empty());
}

}  // namespace index_entries_test
}  // namespace pmdex
