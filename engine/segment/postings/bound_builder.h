// Computes the BoundPoints of a set of postings. They are the Pareto frontier of the postings:
// those pairs of tf and length code for which no other posting has a tf as great and a code as
// small. If the frontier has more than four points, neighbours are replaced by a point that
// dominates both, where this raises the bound least. Belongs to one thread.
#pragma once

#include <cstdint>

#include "engine/segment/format.h"

namespace pmdex {

class BoundBuilder {
 public:
  BoundBuilder();

  void Add(uint32_t tf, uint8_t length_code) {
    const uint32_t row = tf < 255 ? tf : 255;
    if (length_code < least_code_[row]) least_code_[row] = length_code;
    if (row > greatest_tf_) greatest_tf_ = row;
  }
  void Add(const BoundBuilder& other);
  BoundPoints Points() const;  // in descending order of tf
  void Clear();

 private:
  static constexpr uint16_t kNone = 256;
  uint16_t least_code_[256];  // indexed by tf
  uint32_t greatest_tf_ = 0;
};

}  // namespace pmdex
