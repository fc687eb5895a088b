// Tells whether two indexes of the same documents answer a query alike. A fingerprint stands for
// the hits of an answer, so that answers of runs hours apart can be compared. Thread-safe: no
// state.
#pragma once

#include <cstdint>
#include <optional>

#include "query/searcher.h"

namespace pmdex {

struct AnswerFingerprint {
  uint64_t hits = 0;              // XXH3-64 of the scores and ids
  std::optional<uint64_t> total;  // the number of matches, where it is exact
  friend bool operator==(const AnswerFingerprint&, const AnswerFingerprint&) = default;
};

// Scores count to the last bit, in their order. The order of documents with equal scores does not
// count, because it is that of the index, which depends on the build. Nor do the ids with the last
// score of a full list of k hits count, because others with this score may have been cut off.
AnswerFingerprint FingerprintOf(const SearchResult& result, size_t k);

}  // namespace pmdex
