// Keeps the k best of the documents added so far: by descending score, and the earlier document
// first among equal scores. Limits may exclude documents. Documents may come in any order. Memory
// grows with the number of documents kept, not with k. For one thread.
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
#include "query/result/rank_limits.h"
#include "query/result/scored_docs.h"

namespace pmdex {

class TopK {
 public:
  explicit TopK(size_t k, const RankLimits& limits = {})
      : k_(k),
        most_(k <= kHeapMost ? k : k + std::min(k, SIZE_MAX - k)),
        after_(limits.after.value_or(ScoredDoc{0, std::numeric_limits<float>::infinity()})),
        min_score_(limits.min_score),
        shared_min_score_(limits.min_score) {}

  size_t k() const { return k_; }
  bool full() const { return kept_.size() >= k_; }
  size_t room() const { return full() ? 0 : k_ - kept_.size(); }
  // If documents are added in ascending order, only a score above this one can still enter. For a
  // large k the value may lag behind; Tighten brings it up to date.
  float threshold() const {
    return !full()         ? -std::numeric_limits<float>::infinity()
           : kept_.empty() ? std::numeric_limits<float>::infinity()
                           : worst().score;
  }

  // The minimum competitive score: the least score with which document `doc` or a later one can
  // still enter, in whatever order documents are added.
  float MinCompetitiveScore(uint64_t doc) const {
    if (!full()) return shared_min_score_;
    if (kept_.empty()) return std::numeric_limits<float>::infinity();
    const bool wins_ties = doc < worst().doc;
    const float min_score =
        wins_ties ? worst().score
                  : std::nextafter(worst().score, std::numeric_limits<float>::infinity());
    return std::max(min_score, shared_min_score_);
  }
  // To be called when another thread or search has found k documents that score at least `score`.
  // MinCompetitiveScore then never returns less.
  void RaiseMinCompetitiveScore(float score) {
    shared_min_score_ = std::max(shared_min_score_, score);
  }

  void Add(const ScoredDoc& candidate) {
    if (!full()) {
      if (!IsAllowed(candidate)) return;
      if (kept_.capacity() == 0) kept_.reserve(std::min(k_, kReservedAtFirst));
      kept_.push_back(candidate);
      if (full()) Fill();
    } else if (k_ != 0 && IsBetter(candidate, worst()) && IsAllowed(candidate)) {
      if (is_heap()) {
        ReplaceWorst(candidate);
      } else {
        kept_.push_back(candidate);
        if (kept_.size() == most_) Tighten();
      }
    }
  }
  // Drops all but the k best, which brings threshold() up to date.
  void Tighten() {
    if (kept_.size() > k_) SelectBest(kept_, k_, scratch_);
  }

  // The k best in no particular order. The TopK is empty afterwards.
  std::vector<ScoredDoc> TakeUnsorted() {
    Tighten();
    return std::exchange(kept_, {});
  }
  // Like Take. If the deadline has come, or would come before all are sorted, returns only the best
  // of them and sets `cut`.
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

  // The k best, sorted, the best first. The TopK is empty afterwards.
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
  // Up to this k, each document goes through a heap and the threshold is always up to date. For a
  // larger k, documents are collected and the best of them selected now and then, which costs less.
  static constexpr size_t kHeapMost = 128;
  static constexpr size_t kReservedAtFirst = 16;  // so that small results never move

  struct Better {  // a type and not a function, so that standard algorithms inline it
    bool operator()(const ScoredDoc& a, const ScoredDoc& b) const { return IsBetter(a, b); }
  };

  bool IsAllowed(const ScoredDoc& candidate) const {
    return candidate.score >= min_score_ && IsBetter(after_, candidate);
  }
  bool is_heap() const { return k_ <= kHeapMost; }
  const ScoredDoc& worst() const { return kept_.front(); }  // once there are k

  void Fill() {
    if (is_heap()) {
      std::make_heap(kept_.begin(), kept_.end(), Better());
    } else {
      std::iter_swap(kept_.begin(), std::max_element(kept_.begin(), kept_.end(), Better()));
    }
  }

  // Replaces the worst document in one walk down the heap; pop_heap and push_heap would take two.
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
  size_t most_;      // the most documents that are kept at a time
  ScoredDoc after_;  // only documents behind it enter; without a limit it is better than all
  float min_score_;
  float shared_min_score_;
  std::vector<ScoredDoc> kept_;  // once there are k: the worst of the k best comes first
  std::vector<ScoredDoc> scratch_;
};

}  // namespace pmdex
