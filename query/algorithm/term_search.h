// The k best documents of one term: no sums, so that blocks and postings can be filtered by
// frequency and length alone, for less and less until there are enough. Thread-safe: no state.
#pragma once

#include <cstdint>

#include "query/algorithm/leaf/leaf.h"
#include "query/result/top_k.h"
#include "query/similarity.h"

namespace pmdex {

// Puts every document of the list that can be among the best into `top`. Damage goes to the
// context, which says too when time was over before the end. Returns how many documents were
// scored.
uint64_t SearchPostings(const PostingListView& list, const TermScorer& scorer, uint64_t doc_base,
                        LeafContext& context, TopK& top);

}  // namespace pmdex
