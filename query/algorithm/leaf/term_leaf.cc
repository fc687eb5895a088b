#include "query/algorithm/leaf/term_leaf.h"

#include <array>

namespace pmdex {

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
