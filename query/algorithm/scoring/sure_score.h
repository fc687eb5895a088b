// A score that k documents surely reach, known before any posting is read: from the best points of
// posting lists (BestPoints in format.h). It begins the minimum competitive score of a search,
// which then reads fewer documents and finds the same hits.
//
// A point counts only where each document of its list is a hit if it scores enough: no other clause
// is required and none is prohibited. With d deleted documents in a segment, k + d postings must
// reach the point. Scores are made now, with the statistics of the whole index. The k documents are
// all in one segment. Thread-safe: no state.
#pragma once

#include "pmem/status.h"
#include "query/algorithm/search_context.h"

namespace pmdex {

// Minus infinity if none is known; otherwise at least k documents that may be hits score as much.
// Requires that no weight is negative. kDataLoss if the best points of a list are damaged.
absl::StatusOr<float> FindSureScore(const SearchContext& context);

// The score that probably k documents reach, from lists of segments with deletions: about as many
// of the best postings of a list are deleted as of its segment. Minus infinity if none is known.
// Who begins with it must find k documents that score as much, or search again without it.
absl::StatusOr<float> FindLikelyScore(const SearchContext& context);

}  // namespace pmdex
