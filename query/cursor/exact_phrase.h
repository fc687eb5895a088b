// How often the terms of a phrase stand at exactly their offsets in a document: the number of
// positions p such that term i occurs at p + offset_i for every i. Belongs to one thread.
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

  // positions[i]: where the term of word i occurs in the document, ascending; one a word.
  float Frequency(std::span<const std::vector<uint32_t>> positions);

 private:
  std::vector<uint32_t> offsets_;
  std::vector<int64_t> starts_;  // phrase starts that are still possible
};

}  // namespace pmdex
