// Makes a posting list with bits and ranks for tests. Its lanes are exactly as long as in a file,
// so that sanitizers detect reads behind them. Tests may change its values.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/segment/postings/bitset_builder.h"
#include "engine/segment/postings/posting_list.h"

namespace pmdex {

struct BitsetList {
  // docs: ascending and less than doc_count_value.
  BitsetList(const std::vector<DocId>& docs, uint32_t doc_count_value)
      : df(static_cast<uint32_t>(docs.size())), doc_count(doc_count_value) {
    BitsetBuilder builder;
    builder.Start(doc_count);
    builder.Add(docs);
    words.assign(builder.words().begin(), builder.words().end());
    const auto counts = builder.FinishRanks();
    ranks.assign(counts.begin(), counts.end());
  }

  // A view that has documents only. The list must outlive it.
  PostingListView view() const {
    PostingListView list;
    list.df = df;
    list.bits = words.data();
    list.ranks = ranks.data();
    list.doc_count = doc_count;
    return list;
  }

  uint32_t df;
  uint32_t doc_count;
  std::vector<uint64_t> words;
  std::vector<uint32_t> ranks;
};

}  // namespace pmdex
