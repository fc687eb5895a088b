#include "engine/ingest/pipeline/input_runs.h"

#include <gtest/gtest.h>

namespace pmdex {
namespace input_runs_test {

TEST(InputRuns, ABlockOfRecordsIsARunInEachMemtable) {
  Block block;
  block.format = InputFormat::kJsonl;
  block.origin.bytes.push_back({3, {0, "before"}, {0, 10, 1}});  // a file without documents
  block.origin.bytes.push_back({4, {1, "in"}, {100, 200, 1}});
  InputRuns runs;
  runs.BeginBlock(block);
  for (const uint32_t doc : {0, 1, 2}) {
    runs.NextDocument();
    runs.Note(doc);
  }
  EXPECT_EQ(runs.Take(), (std::vector<InputRun>{{0, {{1, "in"}, 100, 1}}}));
  runs.NextDocument();
  runs.Note(0);
  EXPECT_EQ(runs.Take(), (std::vector<InputRun>{{0, {{1, "in"}, 100, 4}}}));
  EXPECT_TRUE(runs.Take().empty());
}

TEST(InputRuns, ADocumentThatIsNotIndexedLeavesNoRun) {
  Block block;
  block.format = InputFormat::kLines;
  block.origin.bytes.push_back({4, {1, "in"}, {100, 200, 1}});
  InputRuns runs;
  runs.BeginBlock(block);
  runs.NextDocument();
  runs.Note(0);  // does not fit
  block.origin.bytes.back().range.begin = 200;
  runs.BeginBlock(block);
  runs.NextDocument();
  runs.Note(0);
  EXPECT_EQ(runs.Take(), (std::vector<InputRun>{{0, {{1, "in"}, 200, 1}}}));
}

TEST(InputRuns, OfWholeFilesOnlyTheInputCounts) {
  Block block;
  block.format = InputFormat::kFiles;
  for (const uint64_t input : {0, 0, 2, 2, 0}) block.files.push_back({0, 0, 0, 0, input});
  InputRuns runs;
  runs.BeginBlock(block);
  for (const uint32_t doc : {0, 1, 2, 3, 4}) {
    runs.NextDocument();
    runs.Note(doc);
  }
  EXPECT_EQ(runs.Take(), (std::vector<InputRun>{
                             {0, {{0, ""}, 0, 0}}, {2, {{2, ""}, 0, 0}}, {4, {{0, ""}, 0, 0}}}));
}

}  // namespace input_runs_test
}  // namespace pmdex
