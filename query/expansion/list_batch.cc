#include "query/expansion/list_batch.h"

#include <algorithm>

namespace pmdex {

void ReadAhead::Reached(const std::byte* at) {
  constexpr uint64_t kLeast = 64 << 10;
  constexpr uint64_t kMost = 1 << 20;
  const auto offset = static_cast<uint64_t>(at - view_.RawSection(kind_).data());
  if (offset < next_) return;
  if (first_ == kNowhere) {
    first_ = offset;
    next_ = offset + kLeast;
    return;
  }
  const uint64_t ahead = std::min(offset - first_, kMost);
  view_.Prefetch(kind_, offset, ahead);
  next_ = offset + ahead / 2;
}

absl::Status ListBatch::Add(const DocumentsPlace& place) {
  PMDEX_ASSIGN_OR_RETURN(lists_[count_], segment_.LocateDocuments(place));
  if (place.is_inline) return read_(lists_[count_]);
  if (are_neighbours_) ahead_.Reached(lists_[count_].mapped.data());
  segment_.FetchDocuments(lists_[count_]);
  return ++count_ == lists_.size() ? Flush() : absl::OkStatus();
}

absl::Status ListBatch::Flush() {
  constexpr uint64_t kListWork = 32;
  for (size_t i = 0; i < count_ && !watch_.IsOver(kListWork); ++i) {
    PMDEX_RETURN_IF_ERROR(read_(lists_[i]));
  }
  count_ = 0;
  return absl::OkStatus();
}

}  // namespace pmdex
