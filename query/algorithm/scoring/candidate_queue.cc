#include "query/algorithm/scoring/candidate_queue.h"

#include <algorithm>
#include <limits>

namespace pmdex {

CandidateQueue::CandidateQueue(std::span<const OpenClause> clauses, uint64_t doc_base,
                               bool score_all, TopK& top, CursorContext* context)
    : clauses_(clauses),
      doc_base_(doc_base),
      score_all_(score_all),
      top_(top),
      context_(context),
      batch_(clauses) {
  for (const OpenClause& clause : clauses) {
    if (clause.occur == Occur::kMustNot) continue;
    for (const auto& leaf : clause.leaves)
      rows_.push_back({leaf.get(), clause.IsOneRequiredLeaf()});
  }
  batch_.Clear();
}

// First the leaves that can reject a document, then the others; within each group, those with the
// greatest bound first.
void CandidateQueue::Order() {
  order_.clear();
  bound_ = 0;
  for (uint32_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i].bound == 0) continue;
    bound_ += rows_[i].bound;
    order_.push_back(i);
  }
  std::sort(order_.begin(), order_.end(), [this](uint32_t a, uint32_t b) {
    const Row& left = rows_[a];
    const Row& right = rows_[b];
    if (left.decides != right.decides) return left.decides;
    return left.bound != right.bound ? left.bound > right.bound : a < b;
  });
  ordered_ = true;
}

void CandidateQueue::Finish() {
  if (batch_.size() == 0) return;
  if (!ordered_) Order();
  const float needed = score_all_ ? -std::numeric_limits<float>::infinity()
                                  : top_.NeededFrom(doc_base_ + batch_.docs().front());
  double possible = bound_;
  for (const uint32_t i : order_) {
    if (batch_.size() == 0 || IsOver()) break;
    possible = std::max(0.0, possible - rows_[i].bound);
    batch_.Ask(i, *rows_[i].leaf, needed, possible);
  }
  if (IsOver()) return batch_.Clear();
  batch_.Finish(needed, clauses_);
  scored_ += batch_.size();
  batch_.AddTo(top_, doc_base_);
  batch_.Clear();
  for (Row& row : rows_) {
    ordered_ = ordered_ && row.bound == row.next;
    row.bound = row.next;
  }
}

}  // namespace pmdex
