// What a search adds to the documents that it found: their ids, snippets, explanations and values.
// Damage of a segment quarantines it and is returned as the error of the segment. What does not get
// ready before the deadline is left out, and the result says that it timed out.
#pragma once

#include <string>
#include <vector>

#include "engine/analysis/analyzer.h"
#include "engine/store/snapshot.h"
#include "pmem/status.h"
#include "query/deadline.h"
#include "query/planning/query_binder.h"
#include "query/result/scored_docs.h"
#include "query/search_result.h"

namespace pmdex {

// Sets the hits and copies their ids. Ids lie all over their segments, so that it prefetches for
// many hits at once. After the deadline it leaves out the hits that have no id yet.
absl::Status NameHits(const Snapshot& snapshot, const std::vector<ScoredDoc>& docs,
                      const Deadline& deadline, SearchResult& result);

// These add one element for each hit.
absl::Status AddSnippets(const QueryBinding& binding, const Deadline& deadline, Analyzer& analyzer,
                         SearchResult& result);
absl::Status AddExplanations(const QueryBinding& binding, const Deadline& deadline,
                             SearchResult& result);
// fields: the names of typed fields.
absl::Status AddFieldValues(const std::vector<std::string>& fields, const Snapshot& snapshot,
                            SearchResult& result);

}  // namespace pmdex
