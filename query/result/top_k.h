// The k best documents seen so far: score descending, the earlier document first among equals.
// Documents may come in any order. Memory grows with what is kept, not with k. One thread.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "query/deadline.h"
#include "query/result/scored_docs.h"

namespace pmdex {

class TopK {
 public:
  explicit TopK(size_t k) : k_(k), most_(k <= kHeapMost ? k : k + std::min(k, SIZE_MAX - k)) {}

  size_t k() const { return k_; }
  bool full() const { return kept_.size() >= k_; }
  size_t room() const { return full() ? 0 : k_ - kept_.size(); }
  // While documents come in ascending order, only a score above this one can still enter. For a
  // large k it may be that of a time not long ago: Tighten.
  float threshold() const {
    return !full()         ? -std::numeric_limits<float>::infinity()
           : kept_.empty() ? std::numeric_limits<float>::infinity()
                           : worst().score;
  }

  // In whatever order documents come: the least score with which one numbered `doc` or later can
  // still enter.
  float NeededFrom(uint64_t doc) const {
    if (!full()) return floor_;
    if (kept_.empty()) return std::numeric_limits<float>::infinity();
    const bool wins_ties = doc < worst().doc;
    const float needed =
        wins_ties ? worst().score
                  : std::nextafter(worst().score, std::numeric_limits<float>::infinity());
    return std::max(needed, floor_);
  }
  // Somebody else knows of k documents that score so much: NeededFrom asks for no less.
  void RaiseFloor(float score) { floor_ = std::max(floor_, score); }

  void Add(const ScoredDoc& candidate) {
    if (!full()) {
      kept_.push_back(candidate);
      if (full()) Fill();
    } else if (k_ != 0 && IsBetter(candidate, worst())) {
      if (is_heap()) {
        ReplaceWorst(candidate);
      } else {
        kept_.push_back(candidate);
        if (kept_.size() == most_) Tighten();
      }
    }
  }
  // Brings threshold up to date.
  void Tighten() {
    if (kept_.size() > k_) SelectBest(kept_, k_, scratch_);
  }

  // The same in no order, for who goes on with them.
  std::vector<ScoredDoc> TakeUnsorted() {
    Tighten();
    return std::exchange(kept_, {});
  }
  // As Take, or once the deadline has come, or would before all are sorted, fewer of them, the best
  // ones, and true in `cut`.
  std::vector<ScoredDoc> TakeInTime(const Deadline& deadline, bool& cut) {
    constexpr size_t kLeast = 1024;
    constexpr size_t kSortedPerMillisecond = 20'000;
    Tighten();
    size_t most = kept_.size();
    const auto is_late = [&](size_t docs) {
      const std::chrono::milliseconds needed(docs / kSortedPerMillisecond);
      return deadline.IsPast() || deadline.Later(-needed).IsPast();
    };
    while (most > kLeast && is_late(most)) most = std::max(most / 2, kLeast);
    if (most < kept_.size()) {
      SelectBest(kept_, most, scratch_);
      cut = true;
    }
    return Take();
  }

  // The result in order; the TopK is empty afterwards.
  std::vector<ScoredDoc> Take() {
    Tighten();
    if (kept_.size() <= kHeapMost) {
      std::sort(kept_.begin(), kept_.end(), Better());
    } else {
      SortBest(kept_, scratch_);
    }
    return std::exchange(kept_, {});
  }

 private:
  // Up to here each document goes through a heap, and the threshold is always the latest; above,
  // documents are collected and the best of them selected now and then, which costs less.
  static constexpr size_t kHeapMost = 128;

  struct Better {  // a type, so that the loops of algorithms have it inline
    bool operator()(const ScoredDoc& a, const ScoredDoc& b) const { return IsBetter(a, b); }
  };

  bool is_heap() const { return k_ <= kHeapMost; }
  const ScoredDoc& worst() const { return kept_.front(); }  // once there are k

  void Fill() {
    if (is_heap()) {
      std::make_heap(kept_.begin(), kept_.end(), Better());
    } else {
      std::iter_swap(kept_.begin(), std::max_element(kept_.begin(), kept_.end(), Better()));
    }
  }

  // One walk down, where taking the worst out and putting another one in would be two.
  void ReplaceWorst(const ScoredDoc& candidate) {
    size_t hole = 0;
    for (size_t child = 1; child < kept_.size(); child = 2 * hole + 1) {
      if (child + 1 < kept_.size() && IsBetter(kept_[child], kept_[child + 1])) ++child;
      if (!IsBetter(candidate, kept_[child])) break;
      kept_[hole] = kept_[child];
      hole = child;
    }
    kept_[hole] = candidate;
  }

  size_t k_;
  size_t most_;  // of them that are kept at once
  float floor_ = -std::numeric_limits<float>::infinity();
  std::vector<ScoredDoc> kept_;  // once there are k: the worst of these first
  std::vector<ScoredDoc> scratch_;
};

}  // namespace pmdex
