#include "tools/profile/code_phases.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "gtest/gtest.h"

#include "tools/profile/address_names.h"
#include "tools/report/report_files.h"

namespace pmdex {
namespace code_phases_test {

TEST(CodePhases, KnowTheFunctionsOfEachPhase) {
  EXPECT_EQ(PhaseOfFunction("TermDictionary::Find"), "dictionary");
  EXPECT_EQ(PhaseOfFunction("TermLeaf::PrepareBounds"), "bounds");
  EXPECT_EQ(PhaseOfFunction("PhraseLeaf::PrepareBounds"), "bounds");
  EXPECT_EQ(PhaseOfFunction("TermLeaf::FillCompetitive"), "candidates");
  EXPECT_EQ(PhaseOfFunction("WindowSearch::FillFromPairs"), "candidates");
  EXPECT_EQ(PhaseOfFunction("TermLeaf::ScoreDocs"), "scoring");
  EXPECT_EQ(PhaseOfFunction("CandidateBatch::Finish"), "scoring");
  EXPECT_EQ(PhaseOfFunction("PhraseWindow::FindRuns"), "positions");
  EXPECT_EQ(PhaseOfFunction("TopK::Add"), "top k");
  EXPECT_EQ(PhaseOfFunction("MatchBlocks"), "positions");
  EXPECT_EQ(PhaseOfFunction("TermsCollector::Add"), "counting");
  EXPECT_EQ(PhaseOfFunction("EventLoop::Run"), "protocol");
  EXPECT_EQ(PhaseOfFunction("HitWriter::Write"), "protocol");
  EXPECT_EQ(PhaseOfFunction("memmove"), "other");
}

TEST(CodePhases, AreAmongTheNamesOfPhases) {
  for (const char* function : {"QueryParser::Parse", "Indexer::Add", "futex", "NameHits", "x"}) {
    const auto names = PhaseNames();
    EXPECT_NE(std::find(names.begin(), names.end(), PhaseOfFunction(function)), names.end());
  }
}

// The classes whose names decide are still there: the program has functions of each phase.
TEST(CodePhases, FindFunctionsOfEveryPhaseInTheProgram) {
  const auto file = ReadReportFile(PMDEX_BINARY);
  ASSERT_TRUE(file.ok()) << file.status();
  std::map<std::string_view, int> found;
  for (const std::string& name : FunctionTable::Of(*file).Names()) {
    ++found[PhaseOfFunction(ShortFunctionName(name))];
  }
  for (const std::string_view phase : PhaseNames()) {
    if (phase == "waiting") continue;  // in the C library
    EXPECT_GT(found[phase], 0) << phase;
  }
}

}  // namespace code_phases_test
}  // namespace pmdex
