#include "query/aggregations/segment_matches.h"

#include "query/algorithm/leaf/leaf_factory.h"
#include "query/cursor/open_cursor.h"

namespace pmdex {

absl::StatusOr<SegmentMatches> SegmentMatches::Open(const SearchContext& search,
                                                    SegmentContext& segment) {
  SegmentMatches matches(search, segment);
  const BoundQuery& root = *search.binding.root;
  if (root.kind == BoundKind::kNone) return matches;
  if (search.plan.limits.has_min_score()) {
    PMDEX_ASSIGN_OR_RETURN(matches.scored_,
                           OpenCursor(root, segment.segment, segment.index, segment.cursor));
  } else {
    PMDEX_ASSIGN_OR_RETURN(matches.leaf_, OpenLeaf(root, segment));
  }
  return matches;
}

absl::Status SegmentMatches::Fill(uint32_t window, WindowBits& bits) {
  bits.Clear();
  if (leaf_ != nullptr) leaf_->Fill(window, bits);
  if (scored_ != nullptr) {
    const DocId first = window * kWindowDocs;
    const float min_score = search_->plan.limits.min_score;
    for (DocId doc = scored_->Seek(first); doc < first + kWindowDocs; doc = scored_->Next()) {
      if (scored_->Score() >= min_score) bits.Set(doc - first);
    }
  }
  RetainLive(segment_->cursor.live_docs, window, bits);
  return segment_->cursor.damage;
}

}  // namespace pmdex
