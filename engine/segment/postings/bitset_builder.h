// Collects the documents of one dense list as the two lanes that stand for its docids (format.h):
// bits and ranks. Keeps its memory from list to list: a bit a document and a number a run of 512.
//
// Belongs to one thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/segment/format.h"

namespace pmdex {

class BitsetBuilder {
 public:
  // The most bytes that the bits and ranks of so many documents take.
  static constexpr uint64_t EstimateMemory(uint64_t docs) {
    return docs / 8 + docs / 64;  // a bit a document, and ranks in a vector that doubles
  }

  // An empty list of a segment of doc_count documents.
  void Start(uint32_t doc_count) { words_.assign(BitsetWords(doc_count), 0); }
  // Requires docids < doc_count.
  void Add(std::span<const DocId> docids) {
    for (const DocId doc : docids) words_[doc / 64] |= uint64_t{1} << (doc % 64);
  }

  // Bit d: document d is in the list. Valid until the next Start, as what FinishRanks returns is.
  std::span<const uint64_t> words() const { return words_; }
  // How many documents come before each run of kRankDocs, and at the end how many there are.
  std::span<const uint32_t> FinishRanks();

 private:
  std::vector<uint64_t> words_;
  std::vector<uint32_t> ranks_;
};

}  // namespace pmdex
