// Collects candidates of one window after the other until there are enough for a batch
// (candidate_batch.h). A batch for each window would cost more than the few candidates that many
// windows have. One thread uses a CandidateQueue; what the context refers to must outlive it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "query/algorithm/scoring/candidate_batch.h"
#include "query/algorithm/scoring/ranking_context.h"

namespace pmdex {

class CandidateQueue {
 public:
  explicit CandidateQueue(const RankingContext& context);

  // Sets the upper bound of scoring leaf number `leaf` for the documents that Add gets from now on;
  // 0 if they do not match the leaf. Call it for every scoring leaf when a window begins.
  void SetBound(uint32_t leaf, float bound) {
    bounds_[leaf].next = bound;
    bounds_[leaf].queued = std::max(bounds_[leaf].queued, bound);
    ordered_ = false;
  }
  // Documents ascend between two calls of Finish. Returns true if the batch became full and was
  // scored.
  bool Add(DocId doc) {
    batch_.Add(doc);
    if (!batch_.full()) return false;
    Finish();
    return true;
  }
  // Scores the queued candidates and adds the competitive ones to the top k. Drops them if the
  // context has timed out.
  void Finish();

  uint32_t size() const { return batch_.size(); }
  uint64_t scored() const { return scored_; }  // documents that got a score

 private:
  // Upper bounds of one scoring leaf.
  struct Bounds {
    float queued = 0;  // of the queued candidates
    float next = 0;    // of the candidates to come
  };

  void Order();
  // Called before each leaf's work on a batch.
  bool IsOver() {
    constexpr uint64_t kBatchWork = 64;
    return context_.segment.cursor.IsOver(kBatchWork);
  }

  const RankingContext context_;
  std::vector<Bounds> bounds_;   // of each scoring leaf
  std::vector<uint32_t> order_;  // in which the leaves score; valid if ordered_
  bool ordered_ = false;
  uint64_t scored_ = 0;
  CandidateBatch batch_;
};

}  // namespace pmdex
