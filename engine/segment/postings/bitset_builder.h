// Builds the bits and ranks of one list (Representation::kBitset in format.h). Reuses its memory
// for the next list. Belongs to one thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/segment/format.h"

namespace pmdex {

class BitsetBuilder {
 public:
  // An upper bound of the memory of the bits and ranks in a segment of `docs` documents.
  static constexpr uint64_t EstimateMemory(uint64_t docs) {
    return docs / 8 + docs / 64;  // the bits, and the ranks in a vector that doubles
  }

  // Starts an empty list of a segment of doc_count documents.
  void Start(uint32_t doc_count) { words_.assign(BitsetWords(doc_count), 0); }
  // Requires that all docids are less than doc_count.
  void Add(std::span<const DocId> docids) {
    for (const DocId doc : docids) words_[doc / 64] |= uint64_t{1} << (doc % 64);
  }

  // Bit d % 64 of word d / 64 is set if document d is in the list. Valid until the next Start.
  std::span<const uint64_t> words() const { return words_; }
  // The number of documents before each run of kRankDocs, and at the end the number of all. Valid
  // until the next Start.
  std::span<const uint32_t> FinishRanks();

 private:
  std::vector<uint64_t> words_;
  std::vector<uint32_t> ranks_;
};

}  // namespace pmdex
