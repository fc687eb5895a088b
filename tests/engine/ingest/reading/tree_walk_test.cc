#include "engine/ingest/reading/tree_walk.h"

#include <sys/resource.h>

#include "engine/ingest/ingest_options.h"
#include "engine/ingest/problem_kind.h"
#include "pmem/exhaustion.h"
#include "tests/engine/ingest/ingest_fixture.h"
#include "tests/support/heap_counter.h"

namespace pmdex {
namespace tree_walk_test {

class TreeWalkTest : public IngestFixture {
 protected:
  std::vector<std::string> Walk(std::vector<std::string> inputs, size_t most = 1000) {
    options_.inputs = std::move(inputs);
    std::vector<std::string> found;
    ProblemLog problems;
    const auto visit = [&](InputFile file) {
      found.push_back(file.path + (file.walked ? " walked " : " given ") +
                      std::string(ToString(file.format)) + " " + std::to_string(file.size_bytes));
      return found.size() < most;
    };
    status_ = WalkInputs(options_, problems, visit, names_bytes_);
    problems_ = problems.problems();
    return found;
  }
  size_t names_bytes_ = kDefaultNamesBytes;
  absl::Status status_;
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

TEST_F(TreeWalkTest, GivesTheSameOrderHoweverFewNamesItMayHold) {
  for (int i = 0; i < 40; ++i) {
    const std::string name = "t/" + std::to_string(i * 37 % 40);
    if (i % 4 == 0) {
      for (int j = 0; j < 30; ++j) Write(name + "/" + std::to_string(j) + std::string(60, 'n'), "");
    } else {
      Write(name + std::string(100, 'n'), "");
    }
  }
  const std::vector<std::string> files = Walk({Path("t")});
  EXPECT_EQ(files.size(), 330u);
  names_bytes_ = 0;
  EXPECT_EQ(Walk({Path("t")}), files);
  EXPECT_TRUE(problems_.empty());
}

TEST_F(TreeWalkTest, TakesBoundedMemoryForADirectoryOfAnySize) {
  if (PMDEX_COUNTS_ALLOCATIONS == 0) GTEST_SKIP() << "a sanitizer counts for itself";
  UseMemoryFileSystem();
  constexpr size_t kFiles = 5000;  // whose names take 350 KB
  for (size_t i = 0; i < kFiles; ++i) Write("t/" + std::to_string(i) + std::string(60, 'n'), "");
  options_.inputs = {Path("t")};
  ProblemLog problems;
  size_t files = 0;
  HeapCounts& heap = ThreadHeap();
  heap.peak_bytes = heap.live_bytes;
  const int64_t before = heap.live_bytes;
  const auto visit = [&files](const InputFile&) { return ++files > 0; };
  EXPECT_TRUE(WalkInputs(options_, problems, visit, 128 << 10).ok());
  EXPECT_EQ(files, kFiles);
  EXPECT_LT(heap.peak_bytes - before, 200 << 10);
}

TEST_F(TreeWalkTest, EndsWithAnErrorWhenThereAreNoDescriptors) {
  Write("t/a", "");
  rlimit before = {};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none = {0, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const std::vector<std::string> files = Walk({Path("t")});
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_TRUE(files.empty());
  EXPECT_TRUE(problems_.empty()) << "the directory is not to blame";
  EXPECT_EQ(ExhaustedResource(status_), Resource::kDescriptors) << status_;
  EXPECT_NE(std::string(status_.message()).find(Path("t") + ": Too many open files"),
            std::string::npos);
}

// It may lie in an input, and would then be indexed itself.
TEST_F(TreeWalkTest, EndsWithAnErrorWhenTheDirectoryToLeaveOutIsNotKnown) {
  Write("t/a", "");
  std::filesystem::create_symlink("loop", Path("t/loop"));
  options_.exclude_directory = Path("t/loop");
  EXPECT_TRUE(Walk({Path("t")}).empty());
  EXPECT_FALSE(status_.ok());
  options_.exclude_directory = Path("t/nowhere");
  EXPECT_EQ(Walk({Path("t")}).size(), 1u);
  EXPECT_TRUE(status_.ok()) << status_;
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
