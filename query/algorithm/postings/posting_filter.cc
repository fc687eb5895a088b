#include "query/algorithm/postings/posting_filter.h"

#include <algorithm>

namespace pmdex {

// Filters as many postings at a time as a block has.
bool FilterPostings(const PostingListView& list, uint32_t begin, uint32_t end,
                    const LeastFreqs& table, TableOrder order, const QueryKernels& kernels,
                    PassingPostings& passing) {
  constexpr uint32_t kMostBlocks = kWindowDocs / kBlockPostings + 2;
  uint64_t blocks = ~uint64_t{0};
  static_assert(kMostBlocks <= 64);
  const uint32_t size = end - begin;
  const uint32_t first_block = begin / kBlockPostings;
  if (order == TableOrder::kAscending && !list.block_bounds.empty()) {
    const uint32_t last_block = (end - 1) / kBlockPostings;
    kernels.filter_blocks(list.block_bounds.data() + first_block, last_block - first_block + 1,
                          table, &blocks);
    if (blocks == 0) return false;
  }
  std::fill_n(passing.words, kWindowWords + 1, 0);
  uint64_t any = 0;
  for (uint32_t i = 0; i < size; i += kBlockPostings) {
    const uint32_t posting = begin + i;
    // These postings may lie in two blocks.
    if ((blocks >> (posting / kBlockPostings - first_block) & 3) == 0) continue;
    const uint32_t count = std::min(kBlockPostings, size - i);
    uint64_t* words = passing.words + i / 64;
    list.Load(posting, posting + count);
    kernels.filter_postings(list.freqs + posting, list.codes + posting, count, table, words);
    for (uint32_t word = 0; word < (count + 63) / 64; ++word) any |= words[word];
  }
  return any != 0;
}

}  // namespace pmdex
