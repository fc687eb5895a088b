#include "query/cursor/conjunction_cursor.h"

#include <algorithm>
#include <utility>

#include "pmem/check.h"

namespace pmdex {

ConjunctionCursor::ConjunctionCursor(std::vector<Clause> clauses, CursorContext* context,
                                     uint32_t minimum)
    : clauses_(std::move(clauses)), context_(context), minimum_(minimum) {
  for (const Clause& clause : clauses_) {
    if (clause.required) required_.push_back(clause.cursor.get());
  }
  PMDEX_CHECK(!required_.empty());
  std::stable_sort(required_.begin(), required_.end(),
                   [](const DocCursor* a, const DocCursor* b) { return a->Cost() < b->Cost(); });
  Align(required_[0]->doc());
}

// True if enough optional clauses match the document, which lies at or behind doc_.
bool ConjunctionCursor::HasMinimum(DocId doc) {
  uint32_t matching = 0;
  for (const Clause& clause : clauses_) {
    if (matching == minimum_) break;
    if (!clause.required && clause.cursor->Seek(doc) == doc) ++matching;
  }
  return matching == minimum_;
}

// Moves to the first document >= candidate that matches. Requires that the cursor that leads stands
// on the candidate.
DocId ConjunctionCursor::Align(DocId candidate) {
  constexpr uint64_t kStepWork = 4;
  candidate = Agree(candidate);
  while (candidate != kEndOfDocs && !HasMinimum(candidate)) {
    if (context_ != nullptr && context_->IsOver(kStepWork)) return doc_ = kEndOfDocs;
    candidate = Agree(required_[0]->Next());
  }
  return doc_ = candidate;
}

// The first document >= candidate that all required clauses match, with the same requirement.
DocId ConjunctionCursor::Agree(DocId candidate) {
  constexpr uint64_t kSeekWork = 4;
  size_t agreed = 1;
  while (candidate != kEndOfDocs && agreed < required_.size()) {
    if (context_ != nullptr && context_->IsOver(kSeekWork)) return kEndOfDocs;
    const DocId doc = required_[agreed]->Seek(candidate);
    if (doc == candidate) {
      ++agreed;
    } else {
      candidate = required_[0]->Seek(doc);
      agreed = 1;
    }
  }
  return candidate;
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
    if (!clause.scored) continue;
    if (clause.required || clause.cursor->Seek(doc_) == doc_) sum += clause.cursor->Score();
  }
  return static_cast<float>(sum);
}

}  // namespace pmdex
