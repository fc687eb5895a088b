#include "tools/profile/code_phases.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

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
  EXPECT_EQ(PhaseOfFunction("PhraseWindow::Match"), "positions");
  EXPECT_EQ(PhaseOfFunction("WindowRuns::FindMany"), "positions");
  EXPECT_EQ(PhaseOfFunction("SloppyWindow::Retain"), "positions");
  EXPECT_EQ(PhaseOfFunction("PhrasePrefixWindow::MatchTerm"), "positions");
  EXPECT_EQ(PhaseOfFunction("FindNearRuns"), "positions");
  EXPECT_EQ(PhaseOfFunction("TopK::Add"), "top k");
  EXPECT_EQ(PhaseOfFunction("MatchBlocks"), "positions");
  EXPECT_EQ(PhaseOfFunction("TermsCollector::Add"), "counting");
  EXPECT_EQ(PhaseOfFunction("EventLoop::Run"), "protocol");
  EXPECT_EQ(PhaseOfFunction("HitWriter::Write"), "protocol");
  EXPECT_EQ(PhaseOfFunction("memmove"), "other");
}

TEST(CodePhases, KnowTheFunctionsOfCompressedSegmentsAndColumns) {
  const std::map<std::string_view, std::vector<const char*>> functions = {
      {"positions",
       {"SloppyRuns::Walk", "SloppyRuns::Least", "SloppyRuns::MoveBehindTo",
        "DecodedList::LoadPositions", "PositionUnits::ReadRun", "DecodePositions", "DecodeValues",
        "UnpackWords", "FindOnes", "AddUpWordsAvx512", "SumGroups"}},
      {"candidates",
       {"DecodedList::DecodeBlock", "DecodedList::LoadFrom", "UnpackBytes", "Unpack",
        "DecodeDocids", "ColumnFilter::Fill", "ColumnFilter::ScanSingle", "ColumnFilter::ScanMulti",
        "ColumnFilter::Retain", "ScanRangeAvx512", "BlockCache::PinRange", "BlockCache::Fetch",
        "UnitReader::Pin"}},
      {"top k", {"CandidateBatch::AddTo", "SelectBest", "SortBest", "BestCandidates::Compare"}},
      {"scoring", {"CandidateBatch::AddUp", "CandidateQueue::Finish"}},
      {"dictionary", {"TermIterator::Seek"}},
      {"indexing", {"BlockPositions::Append", "PositionUnitWriter::Append"}}};
  for (const auto& [phase, names] : functions) {
    for (const char* name : names) EXPECT_EQ(PhaseOfFunction(name), phase) << name;
  }
}

TEST(CodePhases, OfAStackIsThatOfTheInnermostFunctionThatHasOne) {
  using Stack = std::vector<std::string>;
  EXPECT_EQ(PhaseOfStack(Stack{"Searcher::Search", "PhraseLeaf::Fill", "memmove"}), "positions");
  EXPECT_EQ(PhaseOfStack(Stack{"SegmentSearch::Run", "TopK::Add", "[libc.so.6]", "memcmp"}),
            "top k");
  EXPECT_EQ(PhaseOfStack(Stack{"EventLoop::Run", "epoll_wait"}), "waiting");
  EXPECT_EQ(PhaseOfStack(Stack{"PositionUnits::ReadRun", "UnitReader::Pin", "BlockCache::Fetch"}),
            "positions");
  EXPECT_EQ(PhaseOfStack(Stack{"TermsCollector::Add", "ColumnView::Keyword", "memmove"}),
            "counting");
  EXPECT_EQ(PhaseOfStack(Stack{"Searcher::Search", "ColumnView::Keyword"}), "candidates");
  EXPECT_EQ(PhaseOfStack(Stack{"Searcher::Search", "malloc"}), "other");
  EXPECT_EQ(PhaseOfStack(Stack{}), "other");
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
  std::set<std::string> names;
  for (const std::string& name : FunctionTable::Of(*file).Names()) {
    const std::string& short_name = *names.insert(ShortFunctionName(name)).first;
    ++found[PhaseOfFunction(short_name)];
  }
  for (const std::string_view phase : PhaseNames()) {
    if (phase == "waiting") continue;  // in the C library
    EXPECT_GT(found[phase], 0) << phase;
  }
  // The rule for what keeps the best documents names a function that the program has.
  EXPECT_TRUE(names.contains("CandidateBatch::AddTo"));
}

}  // namespace code_phases_test
}  // namespace pmdex
