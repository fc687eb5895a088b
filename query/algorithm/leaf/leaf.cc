#include "query/algorithm/leaf/leaf.h"

namespace pmdex {

void Leaf::Retain(uint32_t window, WindowBits& bits) {
  WindowBits docs;
  Fill(window, docs);
  bits.And(docs);
}

uint64_t Leaf::Matching(std::span<const DocId> docs) {
  ScoreArray scores;
  ScoreDocs(docs, {}, scores);
  uint64_t matching = 0;
  for (size_t i = 0; i < docs.size(); ++i) matching |= uint64_t{scores[i] >= 0} << i;
  return matching;
}

void Leaf::AddScores(uint32_t window, WindowSums& sums) {
  const float bound = Bound(window);
  for (float& sum : sums.of) sum += bound;
}

}  // namespace pmdex
