#include "tools/profile/code_phases.h"

#include <array>

namespace pmdex {
namespace {

constexpr std::array<std::string_view, 11> kPhases = {
    "parse", "dictionary", "bounds",   "candidates", "scoring", "positions",
    "top k", "ids",        "indexing", "waiting",    "other"};

struct PhaseRule {
  std::string_view part;  // of the function's name
  std::string_view phase;
};

// The first rule that the name contains decides, so that special names stand before general ones.
// A name here is a class or a function of query/ or engine/.
constexpr PhaseRule kRules[] = {
    {"PhraseLeaf::PrepareBounds", "bounds"},
    {"PhraseLeaf::Bound", "bounds"},
    {"PhraseWindow", "positions"},
    {"PhraseCheck", "positions"},
    {"PhraseWord", "positions"},
    {"PhraseLeaf", "positions"},
    {"PhraseCursor", "positions"},
    {"PhraseMatcher", "positions"},
    {"SloppyPhrase", "positions"},
    {"ReadPositions", "positions"},
    {"VerifyPositions", "positions"},
    {"PositionEntries", "positions"},
    {"EntriesInPlace", "positions"},
    {"FindRuns", "positions"},
    {"SelectRuns", "positions"},
    {"MatchRuns", "positions"},
    {"RunsOneByOne", "positions"},
    {"MatchBlocks", "positions"},
    {"SloppyMatcher", "positions"},
    {"PrepareBounds", "bounds"},
    {"SegmentBound", "bounds"},
    {"BlockBounds", "bounds"},
    {"WindowBounds", "bounds"},
    {"BoundOf", "bounds"},
    {"AddBlocks", "bounds"},
    {"AddPostings", "bounds"},
    {"EscapeFreq", "bounds"},
    {"LengthBounds", "bounds"},
    {"BoundsOf", "bounds"},
    {"ListBound", "bounds"},
    {"::Bound", "bounds"},
    {"LeastFreqs", "bounds"},
    {"LengthFilter", "bounds"},
    {"BestWindows", "bounds"},
    {"PrepareTable", "bounds"},
    {"MakeTable", "bounds"},
    {"TopK", "top k"},
    {"ScoredDoc", "top k"},
    {"SelectBest", "top k"},
    {"SortBest", "top k"},
    {"NameHits", "ids"},
    {"PrefetchDoc", "ids"},
    {"doc_id", "ids"},
    {"CandidateBatch", "scoring"},
    {"CandidateQueue", "scoring"},
    {"ScoreSum", "scoring"},
    {"ScoreDocs", "scoring"},
    {"ScorePostings", "scoring"},
    {"ScoreWindow", "scoring"},
    {"ComputeScores", "scoring"},
    {"AddScores", "scoring"},
    {"::Score", "scoring"},
    {"KeepSums", "scoring"},
    {"FindNumbered", "scoring"},
    {"FindDocids", "scoring"},
    {"FindBits", "scoring"},
    {"PostingWindows::FindAll", "scoring"},
    {"FilterPostings", "candidates"},
    {"FilterBlocks", "candidates"},
    {"PassingPostings", "candidates"},
    {"FillCompetitive", "candidates"},
    {"FillFiltered", "candidates"},
    {"FillFromPairs", "candidates"},
    {"PostingWindows", "candidates"},
    {"WindowSearch", "candidates"},
    {"LeadSearch", "candidates"},
    {"SegmentSearch", "candidates"},
    {"SearchTerm", "candidates"},
    {"ListSearch", "candidates"},
    {"ListBatch", "candidates"},
    {"FindSharedDocs", "candidates"},
    {"KeepCommonDocs", "candidates"},
    {"OpenClause", "candidates"},
    {"OpenLeaf", "candidates"},
    {"OpenQuery", "candidates"},
    {"Opener", "candidates"},
    {"CountUnion", "candidates"},
    {"SearchInParallel", "candidates"},
    {"TermSearch", "candidates"},
    {"SearchConstant", "candidates"},
    {"SearchPruned", "candidates"},
    {"SearchPostings", "candidates"},
    {"SearchExhaustively", "candidates"},
    {"Deposit", "candidates"},
    {"Extract", "candidates"},
    {"Counter::", "candidates"},
    {"CountMatches", "candidates"},
    {"Cursor::", "candidates"},
    {"Leaf::", "candidates"},
    {"DocSet", "candidates"},
    {"PostingListView", "candidates"},
    {"ListVerifier", "dictionary"},
    {"TermDictionary", "dictionary"},
    {"PrefetchTerm", "dictionary"},
    {"ScanTerm", "dictionary"},
    {"ExpandPrefix", "dictionary"},
    {"Regexp", "dictionary"},
    {"Wildcard", "dictionary"},
    {"BindQuery", "dictionary"},
    {"Binder", "dictionary"},
    {"PrefetchLists", "dictionary"},
    {"Fuzzy", "dictionary"},
    {"ExpandTerms", "dictionary"},
    {"SharedExpansions", "dictionary"},
    {"Segment::Postings", "dictionary"},
    {"ReadPostingList", "dictionary"},
    {"QueryParser", "parse"},
    {"QueryLexer", "parse"},
    {"QueryBuilder", "parse"},
    {"Descent", "parse"},
    {"PlanSearch", "parse"},
    {"Flatten", "parse"},
    {"TakeWords", "parse"},
    {"Analyzer", "parse"},
    {"Memtable", "indexing"},
    {"Indexer", "indexing"},
    {"Inverter", "indexing"},
    {"AddOccurrence", "indexing"},
    {"Flusher", "indexing"},
    {"WriteSegment", "indexing"},
    {"PostingWriter", "indexing"},
    {"futex", "waiting"},
    {"epoll_wait", "waiting"},
    {"pthread_cond", "waiting"},
};

}  // namespace

std::span<const std::string_view> PhaseNames() {
  return kPhases;
}

std::string_view PhaseOfFunction(std::string_view function) {
  for (const PhaseRule& rule : kRules) {
    if (function.find(rule.part) != std::string_view::npos) return rule.phase;
  }
  return "other";
}

}  // namespace pmdex
