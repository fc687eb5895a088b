// The pruned search of one segment for a query of one term. A score is no sum there, so that
// frequency and length code alone decide which blocks and postings are competitive. The search
// repeats with a falling minimum score until there are enough documents. Thread-safe: no state.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/segment/postings/posting_list.h"
#include "pmem/status.h"
#include "query/algorithm/leaf/segment_context.h"
#include "query/algorithm/pruned_docs.h"
#include "query/algorithm/search_context.h"
#include "query/result/top_k.h"
#include "query/similarity.h"

namespace pmdex {

// Adds the best documents of one segment to `top`, and what it did to `result`. Requires a plan for
// Algorithm::kSingleTerm. kDataLoss if the posting list is damaged.
absl::Status SearchTerm(const SearchContext& search, size_t segment, TopK& top, PrunedDocs& result);

// Puts every competitive document of the list into `top`. Reports damage to the context. Ends early
// once the context has timed out. Returns how many documents it scored.
uint64_t SearchPostings(const PostingListView& list, const TermScorer& scorer,
                        SegmentContext& context, TopK& top);

}  // namespace pmdex
