// Upper bounds of the scores in one posting list, from the bounds that a segment keeps for every
// block of postings. A list of one block has none, and its postings give the bounds. Thread-safe:
// no state.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/segment/postings/posting_list.h"
#include "query/kernel/kernels.h"
#include "query/similarity.h"

namespace pmdex {

// The greatest frequency that an escaped posting of the list may have (kFreqEscape if none is
// escaped).
float EscapeFreq(const PostingListView& list);

// The upper bound of all scores in the list.
float ListBound(const PostingListView& list, const TermScorer& scorer, const QueryKernels& kernels);

// The upper bound of the scores in each window of the segment; 0 if and only if the list has no
// posting there.
std::vector<float> WindowBounds(const PostingListView& list, const TermScorer& scorer,
                                uint32_t doc_count, const QueryKernels& kernels);

}  // namespace pmdex
