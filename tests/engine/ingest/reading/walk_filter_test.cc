#include "engine/ingest/reading/walk_filter.h"

#include <gtest/gtest.h>

#include "engine/ingest/problem_kind.h"
#include "engine/ingest/resume/watermark_builder.h"

namespace pmdex {
namespace walk_filter_test {

const Watermark kDone = {
    {{0, "b"}, {0, "d"}, {}}, {{0, "f"}, {0, "f"}, {{0, 10, 2}}}, {{1, "a"}, {1, "b"}, {}}};

// What is left of a walk over these paths of input 0, with ordinals.
std::string Walk(const std::vector<std::string>& paths, ProblemLog& problems,
                 std::vector<uint64_t>& passed) {
  WalkFilter filter(kDone, problems, [&](uint64_t ordinal) { passed.push_back(ordinal); });
  std::string left;
  for (const std::string& path : paths) {
    InputFile file;
    file.path = path;
    if (!filter.Admit(file)) continue;
    left += path + std::to_string(file.ordinal) + (file.done.empty() ? " " : "part ");
  }
  return left;
}

TEST(WalkFilter, LeavesOutWhatIsDoneAndNumbersTheRest) {
  ProblemLog problems;
  std::vector<uint64_t> passed;
  EXPECT_EQ(Walk({"a", "b", "c", "d", "e", "f", "g"}, problems, passed), "a0 e2 f3part g4 ");
  EXPECT_EQ(passed, (std::vector<uint64_t>{1, 3}));
  EXPECT_TRUE(problems.problems().empty());
}

TEST(WalkFilter, StaysRightWhenFilesAppearOrVanish) {
  ProblemLog problems;
  std::vector<uint64_t> passed;
  EXPECT_EQ(Walk({"a", "a2", "bb", "e"}, problems, passed), "a0 a21 e3 ")
      << "b and d are gone; bb lies between them";
  EXPECT_EQ(Walk({"z"}, problems, passed), "z2 ") << "all of the input is gone";
}

TEST(WalkFilter, ReportsAFileThatIsGoneBeforeItWasReadToItsEnd) {
  ProblemLog problems;
  std::vector<uint64_t> passed;
  Walk({"a", "g"}, problems, passed);
  ASSERT_TRUE(problems.problems().contains(ProblemKind::kVanishedFile));
  EXPECT_EQ(problems.problems().at(ProblemKind::kVanishedFile).count, 1u);
}

}  // namespace walk_filter_test
}  // namespace pmdex
