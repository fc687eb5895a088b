// Finds which postings of a run can still reach a score, by frequency and length code alone. It
// filters whole blocks first and then the postings of the blocks that are left. A table of least
// frequencies (kernels.h) decides. Thread-safe: no state.
#pragma once

#include <cstdint>

#include "engine/segment/postings/posting_list.h"
#include "query/kernel/kernels.h"
#include "query/kernel/window_bits.h"

namespace pmdex {

// Bit i stands for posting i of a run of at most kWindowDocs postings.
struct PassingPostings {
  uint64_t words[kWindowWords + 1];
};

// kAscending: the least frequency in the table never falls with a longer document. A bound of a
// block stands for postings of longer documents too, so that only such a table can rule out whole
// blocks.
enum class TableOrder { kAscending, kAny };

// True if any of the postings [begin, end) pass; `passing` says which ones then, and is undefined
// otherwise. Requires a list that is not inline.
bool FilterPostings(const PostingListView& list, uint32_t begin, uint32_t end,
                    const LeastFreqs& table, TableOrder order, const QueryKernels& kernels,
                    PassingPostings& passing);

}  // namespace pmdex
