#include "tools/profile/code_phases.h"

#include <array>

namespace pmdex {
namespace {

constexpr std::array<std::string_view, 13> kPhases = {
    "parse", "dictionary", "bounds",   "candidates", "scoring", "positions", "top k",
    "ids",   "counting",   "protocol", "indexing",   "waiting", "other"};

struct PhaseRule {
  std::string_view part;  // of the function's name
  std::string_view phase;
};

// The first rule that the name contains decides, so that special names stand before general ones.
// A name here is a class or a function of query/ or engine/.
constexpr PhaseRule kRules[] = {
    {"CandidateBatch::AddTo", "top k"},  // where the pruned search fills its heap
    {"BestCandidates", "top k"},
    {"SortByDigit", "top k"},
    {"PositionUnitWriter", "indexing"},
    {"BlockPositions", "indexing"},
    {"PhraseLeaf::PrepareBounds", "bounds"},
    {"PhraseLeaf::Bound", "bounds"},
    {"PhraseWindow", "positions"},
    {"PhrasePrefix", "positions"},
    {"SloppyWindow", "positions"},
    {"WindowRuns", "positions"},
    {"FindNear", "positions"},
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
    {"SloppyRuns", "positions"},
    {"DecodedList::LoadPositions", "positions"},
    {"DecodedList::EntriesOf", "positions"},
    {"DecodedList::CountEntries", "positions"},
    {"DecodePositions", "positions"},
    {"PositionUnits", "positions"},
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
    {"DecodedList", "candidates"},
    {"DecodeDocids", "candidates"},
    {"DecodeFreqs", "candidates"},
    {"DecodeCodes", "candidates"},
    // Kernels of compressed units. Those of positions are called for nothing else.
    {"DecodeValues", "positions"},
    {"UnpackWords", "positions"},
    {"FindOnes", "positions"},
    {"AddZeros", "positions"},
    {"AddUpWords", "positions"},
    {"SumGroups", "positions"},
    {"Unpack", "candidates"},
    {"AddUpGroups", "candidates"},
    {"UnitDocuments", "candidates"},
    {"ColumnFilter", "candidates"},
    {"ScanRange", "candidates"},
    {"SegmentSorter", "candidates"},
    {"FirstDocs", "candidates"},
    {"KeepLiveDocs", "candidates"},
    {"ListVerifier", "dictionary"},
    {"TermDictionary", "dictionary"},
    {"TermIterator", "dictionary"},
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
    {"Collector", "counting"},
    {"BucketMapper", "counting"},
    {"BucketTable", "counting"},
    {"ColumnReader", "counting"},
    {"KeywordMapper", "counting"},
    {"QuantileSketch", "counting"},
    {"AggregationSet", "counting"},
    {"EventLoop", "protocol"},
    {"Connection::", "protocol"},
    {"RequestParser", "protocol"},
    {"HttpServer", "protocol"},
    {"HttpService", "protocol"},
    {"SearchApi", "protocol"},
    {"SearchService", "protocol"},
    {"ElasticsearchApi", "protocol"},
    {"ElasticsearchService", "protocol"},
    {"SearchRun", "protocol"},
    {"QueryReader", "protocol"},
    {"HitWriter", "protocol"},
    {"AggregationReader", "protocol"},
    {"AggregationWriter", "protocol"},
    {"Highlight", "protocol"},
    {"ResultCache", "protocol"},
    {"RequestLog", "protocol"},
    {"AppendResponse", "protocol"},
    {"CompressResponse", "protocol"},
    {"JsonWriter", "protocol"},
    {"nlohmann", "protocol"},
    {"simdjson", "protocol"},
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

// Functions that several phases call. Their phase is that of the caller; this one where it is not
// known.
constexpr PhaseRule kSharedRules[] = {
    {"UnitReader", "candidates"}, {"BlockCache", "candidates"}, {"ColumnView", "candidates"}};

template <size_t kSize>
std::string_view PhaseByRules(const PhaseRule (&rules)[kSize], std::string_view function) {
  for (const PhaseRule& rule : rules) {
    if (function.find(rule.part) != function.npos) return rule.phase;
  }
  return "other";
}

}  // namespace

std::span<const std::string_view> PhaseNames() {
  return kPhases;
}

std::string_view PhaseOfFunction(std::string_view function) {
  const std::string_view phase = PhaseByRules(kRules, function);
  return phase != "other" ? phase : PhaseByRules(kSharedRules, function);
}

std::string_view PhaseOfStack(std::span<const std::string> functions) {
  std::string_view shared = "other";
  for (size_t i = functions.size(); i > 0; --i) {
    const std::string_view phase = PhaseByRules(kRules, functions[i - 1]);
    if (phase != "other") return phase;
    if (shared == "other") shared = PhaseByRules(kSharedRules, functions[i - 1]);
  }
  return shared;
}

}  // namespace pmdex
