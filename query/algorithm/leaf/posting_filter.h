// Which postings of a run can still reach a score, by frequency and length alone: blocks first,
// then the postings of those that are left. What decides is a table of least frequencies
// (kernels.h). Thread-safe: no state.
#pragma once

#include <cstdint>

#include "engine/segment/postings/posting_list.h"
#include "query/kernel/kernels.h"
#include "query/kernel/window_bits.h"

namespace pmdex {

// Of a run of at most kWindowDocs postings: bit i is the run's posting i.
struct PassingPostings {
  uint64_t words[kWindowWords + 1];
};

// A point of a block stands for postings of longer documents too: it says what passes only where
// the table asks no less of longer ones.
enum class TableOrder { kAscending, kAny };

// Whether any of postings [begin, end) pass, and, if so, which. Requires a list that is not inline.
bool FilterPostings(const PostingListView& list, uint32_t begin, uint32_t end,
                    const LeastFreqs& table, TableOrder order, const QueryKernels& kernels,
                    PassingPostings& passing);

}  // namespace pmdex
