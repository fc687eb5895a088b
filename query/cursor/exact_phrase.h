// Counts the exact occurrences of a phrase in a document: the positions p such that word i of the
// phrase occurs at p + offset_i for every i. For one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace pmdex {

class ExactPhraseMatcher {
 public:
  explicit ExactPhraseMatcher(std::span<const uint32_t> offsets)
      : offsets_(offsets.begin(), offsets.end()) {}

  // positions[i]: the positions of the term of word i in the document, ascending. Requires one
  // vector per word.
  float Frequency(std::span<const std::vector<uint32_t>> positions);

 private:
  std::vector<uint32_t> offsets_;
  std::vector<int64_t> starts_;  // scratch: phrase starts that are still possible
};

}  // namespace pmdex
