// Expands a fuzzy word on a field of keywords to the keywords of all segments that are within its
// edits. Each keyword is compared as a whole. A keyword then scores like a term without norms, as
// in Lucene: as if each document had one value.
//
// The planner calls it: query tree -> BindQuery -> ExpandFuzzyKeyword. Stateless, thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/store/snapshot.h"
#include "pmem/status.h"
#include "query/deadline.h"
#include "query/language/query.h"

namespace pmdex {

// True if a segment has keywords of the field.
bool HasKeywords(const Snapshot& snapshot, std::string_view field);

// The documents with a keyword of the field, deleted ones included, and the number of their values.
FieldStatistics KeywordStatistics(const Snapshot& snapshot, std::string_view field);

struct KeywordExpansion {
  std::string keyword;
  float similarity = 0;  // FuzzyPattern::Similarity; may be below 0
  uint64_t df = 0;       // documents of all segments with this keyword, deleted ones included
};

// The keywords, the most similar ones first and equal ones in byte order. If there are more than
// the query's max_expansions and kMaxFuzzyTerms allow, the others are left out. An empty word has
// no edits, as in Lucene. Costs a pass over the keywords that begin like the word's fixed prefix.
// The result is incomplete if the watch is over on return.
// kInvalidArgument if the word has more than FuzzyAutomaton::kMaxEdits edits, kDataLoss if a
// segment is damaged.
absl::StatusOr<std::vector<KeywordExpansion>> ExpandFuzzyKeyword(const Query& query,
                                                                 const Snapshot& snapshot,
                                                                 DeadlineWatch& watch);

}  // namespace pmdex
