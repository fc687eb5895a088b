#include "engine/ingest/tree_walk.h"

#include "tests/engine/ingest/ingest_fixture.h"

namespace pmdex {
namespace tree_walk_test {

class TreeWalkTest : public IngestFixture {
 protected:
  std::vector<std::string> Walk(std::vector<std::string> inputs, size_t most = 1000) {
    options_.inputs = std::move(inputs);
    std::vector<std::string> found;
    ProblemLog problems;
    WalkInputs(options_, problems, [&](InputFile file) {
      found.push_back(file.path + (file.walked ? " walked " : " given ") +
                      std::string(ToString(file.format)) + " " + std::to_string(file.size_bytes));
      return found.size() < most;
    });
    problems_ = problems.problems();
    return found;
  }
  std::map<ProblemKind, ProblemSummary> problems_;
};

TEST_F(TreeWalkTest, GivesInputsInOrderAndEntriesSorted) {
  Write("t/b/c", "12");
  Write("t/b.x", "1");
  Write("t/a", "");
  const std::string json = Write("z.jsonl", "{}");
  EXPECT_EQ(Walk({json, Path("t"), "-"}),
            (std::vector<std::string>{json + " given jsonl 2", Path("t/a") + " walked files 0",
                                      Path("t/b/c") + " walked files 2",
                                      Path("t/b.x") + " walked files 1", "- given jsonl 0"}));
  EXPECT_TRUE(problems_.empty());
}

TEST_F(TreeWalkTest, GivesTheAskedFormatToWalkedFiles) {
  options_.format = InputFormat::kTrec;
  Write("t/a.jsonl", "");
  EXPECT_EQ(Walk({Path("t")}), std::vector<std::string>{Path("t/a.jsonl") + " walked trec 0"});
}

TEST_F(TreeWalkTest, EndsWhenTheVisitorHasEnough) {
  for (int i = 0; i < 9; ++i) Write("t/" + std::to_string(i) + "/f", "");
  EXPECT_EQ(Walk({Path("t"), Path("t")}, 4).size(), 4u);
}

TEST_F(TreeWalkTest, WalksVeryDeepTreesAndReportsWhereNamesEnd) {
  std::string name = "t";
  for (int i = 0; i < 200; ++i) name += "/d";
  Write(name + "/leaf", "");
  EXPECT_EQ(Walk({Path("t")}).size(), 1u);
}

TEST_F(TreeWalkTest, ChecksInputsBeforeAnythingElse) {
  options_.inputs = {Write("a", ""), "-", root_};
  EXPECT_TRUE(CheckInputs(options_).ok());
  options_.inputs.push_back(Path("missing"));
  EXPECT_EQ(CheckInputs(options_).code(), absl::StatusCode::kNotFound);
}

TEST(IdsMayRepeat, UnlessEveryIdIsAPathAndNoInputLiesInAnother) {
  const auto may_repeat = [](std::vector<std::string> inputs,
                             InputFormat format = InputFormat::kAuto) {
    IngestOptions options;
    options.inputs = std::move(inputs);
    options.format = format;
    return IdsMayRepeat(options);
  };
  EXPECT_FALSE(may_repeat({"docs"}));
  EXPECT_FALSE(may_repeat({"docs", "docs2", "docs-old", "other/docs", "/docs", "./docs"}));
  EXPECT_FALSE(may_repeat({"b.txt", "a.txt"}, InputFormat::kLines));
  EXPECT_TRUE(may_repeat({"docs", "docs"}));
  EXPECT_TRUE(may_repeat({"docs/", "docs"}));
  EXPECT_TRUE(may_repeat({"docs/f1.txt", "docs-old", "docs"}));
  EXPECT_TRUE(may_repeat({"docs", "docs-old", "a", "docs/deep/below"}, InputFormat::kLines));
  EXPECT_TRUE(may_repeat({"/", "/etc"}));
  EXPECT_TRUE(may_repeat({"a.txt", "a.jsonl"}));
  EXPECT_FALSE(may_repeat({"a.txt", "a.jsonl"}, InputFormat::kFiles));
  EXPECT_TRUE(may_repeat({"-"}));
  EXPECT_TRUE(may_repeat({"a"}, InputFormat::kTrec));
  EXPECT_TRUE(may_repeat({"a"}, InputFormat::kJsonl));
}

}  // namespace tree_walk_test
}  // namespace pmdex
