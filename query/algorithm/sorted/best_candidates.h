// The best documents of a sorted search so far. For one thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "query/algorithm/sorted/sort_request.h"
#include "query/result/sort_keys.h"

namespace pmdex {

struct SortCandidate {
  uint64_t doc = 0;  // number in index order
  float score = 0;
  std::vector<SortRank> ranks;  // indexed like the keys
};

// The best k candidates so far.
class BestCandidates {
 public:
  explicit BestCandidates(const SortRequest& request) : request_(request) {}

  size_t size() const { return kept_.size(); }
  bool full() const { return request_.k != 0 && kept_.size() >= request_.k; }
  // Requires full().
  const SortCandidate& worst() const { return kept_.front(); }

  void Add(SortCandidate candidate) {
    if (request_.k == 0 || !IsBehind(candidate)) return;
    const auto before = [this](const SortCandidate& a, const SortCandidate& b) {
      return Before(a, b);
    };
    if (full()) {
      if (!Before(candidate, worst())) return;
      std::pop_heap(kept_.begin(), kept_.end(), before);
      kept_.back() = std::move(candidate);
    } else {
      kept_.push_back(std::move(candidate));
    }
    std::push_heap(kept_.begin(), kept_.end(), before);
  }

  std::vector<SortCandidate> Take() {
    std::sort(kept_.begin(), kept_.end(),
              [this](const SortCandidate& a, const SortCandidate& b) { return Before(a, b); });
    return std::move(kept_);
  }

 private:
  int Compare(const std::vector<SortRank>& a, const std::vector<SortRank>& b) const {
    for (size_t i = 0; i < request_.keys.size(); ++i) {
      const int order = CompareRanks(request_.keys[i], a[i], b[i]);
      if (order != 0) return order;
    }
    return 0;
  }
  bool Before(const SortCandidate& a, const SortCandidate& b) const {
    const int order = Compare(a.ranks, b.ranks);
    return order != 0 ? order < 0 : a.doc < b.doc;
  }
  bool IsBehind(const SortCandidate& candidate) const {
    return request_.after.empty() || Compare(candidate.ranks, request_.after) > 0;
  }

  const SortRequest& request_;
  std::vector<SortCandidate> kept_;  // a heap with the worst in front
};

}  // namespace pmdex
