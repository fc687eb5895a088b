// A set of segments of a snapshot, as one bit for each. What most queries do for every segment,
// such as to find out which of them have all required words, is done for 64 segments at once.
//
// A plain value. Several threads may read it.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pmdex {

class SegmentSet {
 public:
  // The empty set.
  SegmentSet() = default;
  // All segments below `segments`.
  static SegmentSet All(size_t segments) {
    SegmentSet all;
    all.Resize(segments);
    for (size_t i = 0; i < segments / 64; ++i) all.Word(i) = ~uint64_t{0};
    if (segments % 64 != 0) all.Word(segments / 64) = (uint64_t{1} << segments % 64) - 1;
    return all;
  }

  // Makes room for segments below `segments`, and for 64 at least; those of the set stay. Requires
  // no fewer than before.
  void Resize(size_t segments) { rest_.resize(segments <= 64 ? 0 : (segments - 1) / 64); }
  // Both require a segment that there is room for.
  void Add(size_t segment) { Word(segment / 64) |= uint64_t{1} << segment % 64; }
  bool Has(size_t segment) const { return (Word(segment / 64) >> segment % 64 & 1) != 0; }

  // Removes the segments that `other` does not have. A set has none where it has no room.
  void And(const SegmentSet& other) {
    first_ &= other.first_;
    for (size_t i = 0; i < rest_.size(); ++i) {
      rest_[i] &= i < other.rest_.size() ? other.rest_[i] : 0;
    }
  }
  // Adds the segments of `other`, with room for them.
  void Or(const SegmentSet& other) {
    first_ |= other.first_;
    if (rest_.size() < other.rest_.size()) rest_.resize(other.rest_.size());
    for (size_t i = 0; i < other.rest_.size(); ++i) rest_[i] |= other.rest_[i];
  }

  // Calls `visit` with each segment, in ascending order.
  template <typename Visit>
  void ForEach(const Visit& visit) const {
    for (size_t i = 0; i <= rest_.size(); ++i) {
      for (uint64_t left = Word(i); left != 0; left &= left - 1) {
        visit(i * 64 + static_cast<size_t>(std::countr_zero(left)));
      }
    }
  }

 private:
  uint64_t& Word(size_t i) { return i == 0 ? first_ : rest_[i - 1]; }
  uint64_t Word(size_t i) const { return i == 0 ? first_ : rest_[i - 1]; }

  uint64_t first_ = 0;  // of the first 64 segments, which is all that most indexes have
  std::vector<uint64_t> rest_;
};

}  // namespace pmdex
