// Finds the documents of ascending postings of one block in a list of bits. It walks over the words
// from the end of the block before, instead of searching for each document. One thread uses a
// BitWalk; the list must outlive it.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "engine/segment/format.h"
#include "engine/segment/postings/posting_list.h"

namespace pmdex {

class BitWalk {
 public:
  // For the postings of this block, from its first one on.
  void Start(const PostingListView& list, uint32_t block) {
    bits_ = list.bits;
    words_ = BitsetWords(list.doc_count);
    const uint64_t first = block == 0 ? 0 : uint64_t{list.block_last_docs[block - 1]} + 1;
    word_ = std::min(first / 64, words_);
    before_ = block * kBlockPostings;
    if (word_ == words_) return;
    const uint64_t below = (uint64_t{1} << (first % 64)) - 1;
    before_ -= static_cast<uint32_t>(std::popcount(bits_[word_] & below));
  }
  // kEndOfDocs if the bits have no such posting.
  DocId Doc(uint32_t posting) {
    for (; word_ < words_; ++word_) {
      const auto here = static_cast<uint32_t>(std::popcount(bits_[word_]));
      if (posting - before_ < here) break;
      before_ += here;
    }
    if (word_ == words_) return kEndOfDocs;
    uint64_t word = bits_[word_];
    for (uint32_t skip = posting - before_; skip > 0; --skip) word &= word - 1;
    return static_cast<DocId>(word_ * 64 + static_cast<uint64_t>(std::countr_zero(word)));
  }

 private:
  const uint64_t* bits_ = nullptr;
  uint64_t words_ = 0;
  uint64_t word_ = 0;
  uint32_t before_ = 0;  // postings before the word
};

}  // namespace pmdex
