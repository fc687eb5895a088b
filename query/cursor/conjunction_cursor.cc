#include "query/cursor/conjunction_cursor.h"

#include <algorithm>
#include <utility>

#include "pmem/check.h"

namespace pmdex {

ConjunctionCursor::ConjunctionCursor(std::vector<Clause> clauses, CursorContext* context)
    : clauses_(std::move(clauses)), context_(context) {
  for (const Clause& clause : clauses_) {
    if (clause.required) required_.push_back(clause.cursor.get());
  }
  PMDEX_CHECK(!required_.empty());
  std::stable_sort(required_.begin(), required_.end(),
                   [](const DocCursor* a, const DocCursor* b) { return a->Cost() < b->Cost(); });
  Align(required_[0]->doc());
}

// Moves to the first document >= candidate that all required clauses match. Requires that the
// cursor that leads stands on the candidate.
DocId ConjunctionCursor::Align(DocId candidate) {
  constexpr uint64_t kSeekWork = 4;
  size_t agreed = 1;
  while (candidate != kEndOfDocs && agreed < required_.size()) {
    if (context_ != nullptr && context_->IsOver(kSeekWork)) return doc_ = kEndOfDocs;
    const DocId doc = required_[agreed]->Seek(candidate);
    if (doc == candidate) {
      ++agreed;
    } else {
      candidate = required_[0]->Seek(doc);
      agreed = 1;
    }
  }
  return doc_ = candidate;
}

DocId ConjunctionCursor::Next() {
  return doc_ == kEndOfDocs ? doc_ : Align(required_[0]->Next());
}

DocId ConjunctionCursor::Seek(DocId target) {
  return target <= doc_ ? doc_ : Align(required_[0]->Seek(target));
}

float ConjunctionCursor::Score() {
  double sum = 0;
  for (const Clause& clause : clauses_) {
    if (clause.required || clause.cursor->Seek(doc_) == doc_) sum += clause.cursor->Score();
  }
  return static_cast<float>(sum);
}

}  // namespace pmdex
