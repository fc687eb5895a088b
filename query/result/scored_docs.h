// Documents with their scores, their order in a result, and selection and sorting of many of them
// by what the bits of a float tell without comparisons: for k in the hundreds and above, where
// these would guess wrong half the time.
//
// No state, thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pmdex {

struct ScoredDoc {
  uint64_t doc = 0;  // number in index order
  float score = 0;
};

// Whether a comes before b in a result.
inline bool IsBetter(const ScoredDoc& a, const ScoredDoc& b) {
  return a.score != b.score ? a.score > b.score : a.doc < b.doc;
}

// Leaves the k best of them, the worst of these first, the others in any order. Requires
// 0 < k <= docs.size(), and no NaN. scratch: memory to work in, kept by the caller from call to
// call; what is in it does not matter.
void SelectBest(std::vector<ScoredDoc>& docs, size_t k, std::vector<ScoredDoc>& scratch);

// By IsBetter. Requires no NaN. scratch: as above.
void SortBest(std::vector<ScoredDoc>& docs, std::vector<ScoredDoc>& scratch);

}  // namespace pmdex
