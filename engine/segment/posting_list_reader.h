// From a slot of the dictionary to its posting list: checks that everything the slot points to lies
// inside its section and can be a list of this segment, and verifies the pages. Behind
// Segment::Postings and Segment::Documents. Thread-safe: no state; slots must be verified ones of
// the view's segment (TermDictionary).
#pragma once

#include "engine/segment/format.h"
#include "engine/segment/posting_list.h"
#include "engine/segment/segment_view.h"
#include "pmem/status.h"

namespace pmdex {

// kDataLoss when the slot makes no sense, points outside its sections or to damaged pages. Of
// positions nothing is verified yet: see PostingListView.
absl::StatusOr<PostingListView> ReadPostingList(const SegmentView& view, const TermSlot& slot,
                                                ListParts parts);
// The same for its documents only.
absl::StatusOr<DocumentsView> ReadDocuments(const SegmentView& view, const TermSlot& slot);

// Ask for what ReadPostingList and ReadDocuments will read of a list that nobody read before, and
// for the first of its positions (the rest is asked for on the way). Wait for nothing, believe
// nothing.
void PrefetchPostingList(const SegmentView& view, const TermSlot& slot, ListParts parts);
void PrefetchDocuments(const SegmentView& view, const TermSlot& slot);
void PrefetchPositions(const SegmentView& view, const TermSlot& slot);

}  // namespace pmdex
