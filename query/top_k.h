// The k best documents seen so far: score descending, the earlier document first among equals.
// Documents may come in any order. Memory grows with what is kept, not with k. One thread.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
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

class TopK {
 public:
  explicit TopK(size_t k) : k_(k) {}

  bool full() const { return heap_.size() >= k_; }
  size_t room() const { return k_ - heap_.size(); }
  // While documents come in ascending order, only a score above this one can still enter.
  float threshold() const {
    return !full()         ? -std::numeric_limits<float>::infinity()
           : heap_.empty() ? std::numeric_limits<float>::infinity()
                           : heap_[0].score;
  }

  // In whatever order documents come: the least score with which one numbered `doc` or later can
  // still enter.
  float NeededFrom(uint64_t doc) const {
    if (!full()) return floor_;
    if (heap_.empty()) return std::numeric_limits<float>::infinity();
    const bool wins_ties = doc < heap_[0].doc;
    const float needed =
        wins_ties ? heap_[0].score
                  : std::nextafter(heap_[0].score, std::numeric_limits<float>::infinity());
    return std::max(needed, floor_);
  }
  // Somebody else knows of k documents that score so much: NeededFrom asks for no less.
  void RaiseFloor(float score) { floor_ = std::max(floor_, score); }

  void Add(const ScoredDoc& candidate) {
    if (!full()) {
      heap_.push_back(candidate);
      std::push_heap(heap_.begin(), heap_.end(), Better());
    } else if (k_ != 0 && IsBetter(candidate, heap_[0])) {
      ReplaceWorst(candidate);
    }
  }

  // The result in order; the TopK is empty afterwards.
  std::vector<ScoredDoc> Take() {
    std::sort_heap(heap_.begin(), heap_.end(), Better());
    return std::exchange(heap_, {});
  }

 private:
  struct Better {  // a type, so that the heap's loops have it inline
    bool operator()(const ScoredDoc& a, const ScoredDoc& b) const { return IsBetter(a, b); }
  };

  // One walk down, where taking the worst out and putting another one in would be two.
  void ReplaceWorst(const ScoredDoc& candidate) {
    size_t hole = 0;
    for (size_t child = 1; child < heap_.size(); child = 2 * hole + 1) {
      if (child + 1 < heap_.size() && IsBetter(heap_[child], heap_[child + 1])) ++child;
      if (!IsBetter(candidate, heap_[child])) break;
      heap_[hole] = heap_[child];
      hole = child;
    }
    heap_[hole] = candidate;
  }

  size_t k_;
  float floor_ = -std::numeric_limits<float>::infinity();
  std::vector<ScoredDoc> heap_;  // the worst first
};

}  // namespace pmdex
