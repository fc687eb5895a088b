#include "query/algorithm/scoring/candidate_queue.h"

#include <algorithm>
#include <span>

namespace pmdex {

CandidateQueue::CandidateQueue(const RankingContext& context)
    : context_(context), bounds_(context.query.scoring_leaves().size()), batch_(context.query) {
  batch_.Clear();
}

// First the leaves that can exclude a document, then the others; among either, the greatest upper
// bound first.
void CandidateQueue::Order() {
  const std::span<const ScoringLeaf> leaves = context_.query.scoring_leaves();
  order_.clear();
  for (uint32_t i = 0; i < bounds_.size(); ++i) {
    if (bounds_[i].queued == 0) continue;
    order_.push_back(i);
  }
  std::sort(order_.begin(), order_.end(), [&](uint32_t a, uint32_t b) {
    if (leaves[a].is_required != leaves[b].is_required) return leaves[a].is_required;
    const float left = bounds_[a].queued;
    const float right = bounds_[b].queued;
    return left != right ? left > right : a < b;
  });
  ordered_ = true;
}

void CandidateQueue::Finish() {
  if (batch_.size() == 0) return;
  if (!ordered_) Order();
  const float min_score = context_.MinCompetitiveScore(batch_.docs().front());
  for (uint32_t leaf = 0; leaf < bounds_.size(); ++leaf) {
    batch_.SetBound(leaf, bounds_[leaf].queued);
  }
  for (const uint32_t leaf : order_) {
    if (batch_.size() == 0 || IsOver()) break;
    batch_.ScoreLeaf(leaf, min_score);
  }
  if (IsOver()) return batch_.Clear();
  batch_.Finish(min_score);
  scored_ += batch_.size();
  batch_.AddTo(context_.top, context_.segment.doc_base);
  batch_.Clear();
  for (Bounds& bounds : bounds_) {
    ordered_ = ordered_ && bounds.queued == bounds.next;
    bounds.queued = bounds.next;
  }
}

}  // namespace pmdex
