// What the planner decides about one query: plain values, which the executors obey and which
// --explain prints. Nothing else chooses an algorithm or a way to count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/container/inlined_vector.h"

#include "query/planning/flat_query.h"
#include "query/planning/segment_set.h"
#include "query/result/rank_limits.h"

namespace pmdex {

enum class Algorithm {
  kNone,             // rank nothing: no document can match or none is wanted
  kExhaustive,       // score every match with cursors (exhaustive.h)
  kConstantScore,    // all matches score the same: take the first k (constant_search.h)
  kSingleTerm,       // filter the postings of one term by frequency and length (term_search.h)
  kMaxScoreWindows,  // MaxScore over windows of documents (window_search.h)
  kLeadList,         // follow the postings of one rare required term (lead_search.h)
  kWholeLists,       // follow the postings of all rare optional terms (list_search.h)
};

enum class CountMethod {
  kNone,            // do not count: the number of scored documents is a lower bound
  kFromStatistics,  // the term dictionary or the segment knows the number of matches
  kByScoring,       // the ranking scores every match and so counts them
  kWithRanking,     // the ranking counts each segment with the clauses that it has open
  kSeparately,      // a pass of its own after the ranking
};

std::string_view ToString(Algorithm algorithm);  // "max_score_windows"
std::string_view ToString(CountMethod method);   // "from_statistics"

// How many parts of segments were searched by a thread on the NUMA node where the segment lies, and
// how many by another thread. Parts of segments whose node is unknown are in neither.
struct NodeParts {
  uint64_t local = 0;
  uint64_t remote = 0;
};

// The plan of one query. It points into the bound query, which must outlive it.
struct SearchPlan {
  // For the whole query. Where it is kMaxScoreWindows, PlanSegmentSearch chooses between windows, a
  // lead list and whole lists for each segment.
  Algorithm algorithm = Algorithm::kNone;
  size_t k = 0;  // documents to rank
  // In the order in which scores are added. Empty if nothing can match.
  std::vector<FlatClause> clauses;
  SegmentSet segments;                // those that have the required words; no match is in another
  uint32_t minimum_should_match = 0;  // so many optional clauses must match
  std::vector<uint64_t> estimates;    // documents of each clause, about: its leaves added up
  RankLimits limits;                  // what documents may become hits
  CountMethod count = CountMethod::kNone;
  uint64_t count_limit = UINT64_MAX;  // beyond so many matches counting may stop
  uint64_t least_matches = 0;         // so many documents match at least, as statistics say
  bool reads_lists = false;           // false if statistics answer the query
  // More than 1: so many threads share the work, each taking windows_per_range windows at a time.
  size_t threads = 1;
  uint32_t windows_per_range = 0;
};

// A clause after it was opened in one segment.
struct SegmentClause {
  Occur occur = Occur::kShould;
  uint64_t estimate = 0;  // documents, about
  // It is one term whose posting list holds docids, not bits, so that one can follow its postings.
  bool is_docid_list = false;
  float bound = 0;  // upper bound of what it adds to a score
};

// What is decided anew for each segment.
struct SegmentSearchPlan {
  Algorithm algorithm = Algorithm::kNone;
  size_t lead = 0;  // kLeadList: the clause whose postings are followed
  // The required clauses in the order in which to intersect them: fewest documents first.
  absl::InlinedVector<uint32_t, 8> required;
};

}  // namespace pmdex
