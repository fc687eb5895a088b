// BoundPoints of a set of postings: the Pareto frontier of (tf as large, length code as small as
// possible). A score grows with tf and falls with length, so that the best score of the frontier
// bounds every posting. A frontier of more than four points is merged upward, where it costs
// least. Belongs to one thread.
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
  BoundPoints Points() const;  // by falling tf
  void Clear();

 private:
  static constexpr uint16_t kNone = 256;
  uint16_t least_code_[256];  // by tf
  uint32_t greatest_tf_ = 0;
};

}  // namespace pmdex
