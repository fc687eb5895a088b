#include "query/algorithm/leaf/term_leaf.h"

#include <array>

namespace pmdex {

// Looks a few documents up, where that costs less than to read all postings of the window.
void TermLeaf::Retain(uint32_t window, WindowBits& bits) {
  constexpr uint32_t kPostingsPerLookUp = 64;  // that are read while one document is looked up
  if (MemberBits() != nullptr) return Leaf::Retain(window, bits);
  const uint32_t count = bits.Count();
  if (count == 0) return;
  if (count > kBatch || count * kPostingsPerLookUp > WindowEstimate(window)) {
    return Leaf::Retain(window, bits);
  }
  std::array<DocId, kBatch> docs;
  uint32_t n = 0;
  bits.ForEach([&](uint32_t doc) {
    docs[n] = window * kWindowDocs + doc;
    n += docs[n] < doc_count_ ? 1 : 0;
    return true;
  });
  if (n == 0) return bits.Clear();
  std::array<uint32_t, kBatch> found;
  windows().FindAll({docs.data(), n}, found);
  bits.Clear();
  for (uint32_t i = 0; i < n; ++i) {
    if (found[i] != PostingWindows::kNoPosting) bits.Set(docs[i] % kWindowDocs);
  }
}

// Scores a posting for every document, so that the loops have no branches, and overwrites the
// scores of the documents that the term does not have.
void TermLeaf::ScoreDocs(std::span<const DocId> docs, const ScoreArray&, ScoreArray& scores) {
  std::array<uint32_t, kBatch> found, postings;
  windows().FindAll(docs, found);
  for (size_t i = 0; i < docs.size(); ++i) {
    postings[i] = found[i] != PostingWindows::kNoPosting ? found[i] : 0;
  }
  postings_.ScorePostings({postings.data(), docs.size()}, scores);
  for (size_t i = 0; i < docs.size(); ++i) {
    scores[i] = found[i] != PostingWindows::kNoPosting ? scores[i] : kNoMatch;
  }
}

}  // namespace pmdex
