#include "query/cursor/union_cursor.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "query/max_score.h"

namespace pmdex {

UnionCursor::UnionCursor(std::vector<CursorPointer> clauses, uint32_t minimum,
                         std::optional<float> tie_breaker, CursorContext* context)
    : clauses_(std::move(clauses)),
      minimum_(minimum),
      tie_breaker_(tie_breaker),
      context_(context) {
  heap_.reserve(clauses_.size());
  matching_.reserve(clauses_.size());
  for (uint32_t i = 0; i < clauses_.size(); ++i) {
    cost_ += clauses_[i]->Cost();
    Push(i);
  }
  Settle();
}

void UnionCursor::Push(uint32_t clause) {
  const DocId doc = clauses_[clause]->doc();
  if (doc == kEndOfDocs) return;
  heap_.push_back(Key(doc, clause));
  std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
}

uint32_t UnionCursor::Pop() {
  std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
  const auto clause = static_cast<uint32_t>(heap_.back());
  heap_.pop_back();
  return clause;
}

// Sets doc_ to the least document of the clauses, and finds the clauses that stand on it.
void UnionCursor::Collect() {
  matching_.clear();
  doc_ = heap_.empty() ? kEndOfDocs : static_cast<DocId>(heap_[0] >> 32);
  while (!heap_.empty() && static_cast<DocId>(heap_[0] >> 32) == doc_) matching_.push_back(Pop());
}

// Moves the clauses that stand on doc_ behind it.
void UnionCursor::Leave() {
  for (const uint32_t clause : matching_) {
    clauses_[clause]->Next();
    Push(clause);
  }
}

DocId UnionCursor::Settle() {
  constexpr uint64_t kStepWork = 8;
  for (Collect(); doc_ != kEndOfDocs && matching_.size() < minimum_; Collect()) {
    if (context_ != nullptr && context_->IsOver(kStepWork)) return doc_ = kEndOfDocs;
    Leave();
  }
  return doc_;
}

DocId UnionCursor::Next() {
  if (doc_ == kEndOfDocs) return doc_;
  Leave();
  return Settle();
}

DocId UnionCursor::Seek(DocId target) {
  if (target <= doc_) return doc_;
  for (const uint32_t clause : matching_) {
    clauses_[clause]->Seek(target);
    Push(clause);
  }
  while (!heap_.empty() && static_cast<DocId>(heap_[0] >> 32) < target) {
    const uint32_t clause = Pop();
    clauses_[clause]->Seek(target);
    Push(clause);
  }
  return Settle();
}

float UnionCursor::Score() {
  if (tie_breaker_.has_value()) {
    MaxScore score(*tie_breaker_);
    for (const uint32_t clause : matching_) score.Add(clauses_[clause]->Score());
    return score.Total();
  }
  double sum = 0;
  for (const uint32_t clause : matching_) sum += clauses_[clause]->Score();
  return static_cast<float>(sum);
}

}  // namespace pmdex
