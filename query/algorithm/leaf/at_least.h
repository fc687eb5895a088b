// Finds the documents of a window that are in at least so many of several sets. A plain value for
// one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "query/kernel/window_bits.h"

namespace pmdex {

class AtLeast {
 public:
  // Requires minimum > 0.
  explicit AtLeast(uint32_t minimum) : levels_(minimum) {}

  void Add(const WindowBits& docs) {
    for (size_t level = levels_.size() - 1; level > 0; --level) {
      WindowBits both = levels_[level - 1];
      both.And(docs);
      levels_[level].Or(both);
    }
    levels_[0].Or(docs);
  }
  const WindowBits& docs() const { return levels_.back(); }

 private:
  std::vector<WindowBits> levels_;  // levels_[i]: in more than i of the sets added so far
};

}  // namespace pmdex
