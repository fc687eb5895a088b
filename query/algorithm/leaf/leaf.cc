#include "query/algorithm/leaf/leaf.h"

namespace pmdex {

void Leaf::Retain(uint32_t window, WindowBits& bits) {
  WindowBits docs;
  Fill(window, docs);
  bits.And(docs);
}

void Leaf::AddScores(uint32_t window, WindowSums& sums) {
  const float bound = Bound(window);
  for (float& sum : sums.of) sum += bound;
}

}  // namespace pmdex
