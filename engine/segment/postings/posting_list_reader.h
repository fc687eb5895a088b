// From an entry of the dictionary to its posting list, or from what stands beside a term to its
// documents: checks that everything the entry points to lies inside its section and can be a list
// of this segment, and verifies the pages. Behind Segment::Postings and Segment::LocateDocuments.
// Thread-safe: no state; entries must be verified ones of the view's segment (TermDictionary).
#pragma once

#include "engine/segment/dictionary/documents_place.h"
#include "engine/segment/file/segment_view.h"
#include "engine/segment/format.h"
#include "engine/segment/postings/posting_list.h"
#include "pmem/status.h"

namespace pmdex {

// kDataLoss when the entry makes no sense, points outside its sections or to damaged pages. Of
// positions nothing is verified yet: see PostingListView.
absl::StatusOr<PostingListView> ReadPostingList(const SegmentView& view,
                                                const DictionaryEntry& entry, ListParts parts);

// The documents of a list, by what stands beside its term; those of an inline list are in `place`.
// Reads nothing: for many lists, to be fetched side by side before the first is verified.
// kDataLoss when the place makes no sense or lies outside.
absl::StatusOr<DocumentsView> LocateDocuments(const SegmentView& view, const DocumentsPlace& place);
// From the medium when that was not done before in this process, else into the cache.
void FetchDocuments(const SegmentView& view, const DocumentsView& documents);
// kDataLoss when pages of it are damaged.
absl::Status VerifyDocuments(const SegmentView& view, const DocumentsView& documents);

// Ask for what ReadPostingList will read of a list that nobody read before, and for the first of
// its positions (the rest is asked for on the way). Wait for nothing, believe nothing.
void PrefetchPostingList(const SegmentView& view, const DictionaryEntry& entry, ListParts parts);
void PrefetchPositions(const SegmentView& view, const DictionaryEntry& entry);

}  // namespace pmdex
