#include "query/cursor/union_cursor.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace pmdex {

UnionCursor::UnionCursor(std::vector<CursorPointer> clauses) : clauses_(std::move(clauses)) {
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

DocId UnionCursor::Settle() {
  matching_.clear();
  if (heap_.empty()) return doc_ = kEndOfDocs;
  doc_ = static_cast<DocId>(heap_[0] >> 32);
  while (!heap_.empty() && static_cast<DocId>(heap_[0] >> 32) == doc_) matching_.push_back(Pop());
  return doc_;
}

DocId UnionCursor::Next() {
  if (doc_ == kEndOfDocs) return doc_;
  for (const uint32_t clause : matching_) {
    clauses_[clause]->Next();
    Push(clause);
  }
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
  double sum = 0;
  for (const uint32_t clause : matching_) sum += clauses_[clause]->Score();
  return static_cast<float>(sum);
}

}  // namespace pmdex
