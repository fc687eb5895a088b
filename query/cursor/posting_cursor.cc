#include "query/cursor/posting_cursor.h"

#include <algorithm>
#include <string>

namespace pmdex {

DocId PostingCursor::Seek(DocId target) {
  if (target <= doc_) return doc_;
  if (target >= context_->doc_count) {
    index_ = list_.df;
    return doc_ = kEndOfDocs;
  }
  if (list_.bits != nullptr) return SeekBits(target);
  // All postings before `low` are < target. The arithmetic is 64 bits wide because a list can have
  // 2^32 - 2 postings.
  uint64_t low = uint64_t{index_} + 1;
  uint64_t step = 1;
  while (low + step <= list_.df && list_.docids[low + step - 1] < target) {
    low += step;
    step *= 2;
  }
  const uint64_t high = std::min<uint64_t>(low + step, list_.df);
  low = std::min(low, high);
  index_ = static_cast<uint32_t>(std::lower_bound(list_.docids + low, list_.docids + high, target) -
                                 list_.docids);
  return Settle(target);
}

DocId PostingCursor::SeekBits(DocId target) {
  const DocId doc = list_.FirstFrom(target);
  if (doc == kEndOfDocs) {
    index_ = list_.df;
    return doc_ = doc;
  }
  if (doc >= context_->doc_count) return Damaged(doc);
  const uint32_t index = list_.Rank(doc);
  if (index <= index_ || index >= list_.df) return Damaged(doc);
  index_ = index;
  return doc_ = doc;
}

DocId PostingCursor::Damaged(DocId doc) {
  context_->ReportDamage("posting " + std::to_string(index_) + " of " + std::to_string(list_.df) +
                         " holds docid " + std::to_string(doc) +
                         ", which is out of order or beyond the " +
                         std::to_string(context_->doc_count) + " documents");
  index_ = list_.df;
  return doc_ = kEndOfDocs;
}

}  // namespace pmdex
