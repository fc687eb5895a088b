// Documents with their scores, and their order in a result. Selects and sorts many of them by the
// bits of their scores, without comparisons: for k in the hundreds and above, the CPU would
// mispredict half of the branches on comparisons.
//
// Stateless, thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pmdex {

struct ScoredDoc {
  uint64_t doc = 0;  // number in index order
  float score = 0;
};

// True if a comes before b in a result.
inline bool IsBetter(const ScoredDoc& a, const ScoredDoc& b) {
  return a.score != b.score ? a.score > b.score : a.doc < b.doc;
}

// Reduces docs to the k best. The worst of them comes first, the others in any order. Requires
// 0 < k <= docs.size() and no NaN. scratch: memory that the caller reuses from call to call; its
// content does not matter.
void SelectBest(std::vector<ScoredDoc>& docs, size_t k, std::vector<ScoredDoc>& scratch);

// Sorts docs by IsBetter, the best first. Requires no NaN. scratch: as above.
void SortBest(std::vector<ScoredDoc>& docs, std::vector<ScoredDoc>& scratch);

}  // namespace pmdex
