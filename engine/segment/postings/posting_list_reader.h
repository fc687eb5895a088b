// Reads the posting list of a dictionary entry, or the documents of a list from their place beside
// the term (term_line.h). Checks that the bytes lie inside their sections and can be a list
// of this segment, and verifies their pages. Segment::Postings and Segment::LocateDocuments call
// these functions. Thread-safe: no state. Entries must come from TermDictionary::Find or
// TermIterator::entry, which verify their pages.
#pragma once

#include "engine/segment/dictionary/term_line.h"
#include "engine/segment/file/segment_view.h"
#include "engine/segment/format.h"
#include "engine/segment/postings/posting_list.h"
#include "pmem/status.h"

namespace pmdex {

// Returns kDataLoss if the entry cannot be one of this segment, or if it points outside its
// sections or to damaged pages. Does not verify the pages of the positions (PostingListView).
absl::StatusOr<PostingListView> ReadPostingList(const SegmentView& view,
                                                const DictionaryEntry& entry, ListParts parts,
                                                ListLoading loading = ListLoading::kWhole);

// The best points of the entry's list, without the rest of it; zeros for a list of one block.
// Returns kDataLoss if they lie outside their section or in a damaged page.
absl::StatusOr<BestPoints> ReadBestPoints(const SegmentView& view, const DictionaryEntry& entry);

// The documents of a list. The view of an inline list refers to `place`. Reads nothing of the list,
// so that callers can locate many lists, fetch all of them, and then verify them. Returns kDataLoss
// if the place cannot be one of this segment.
absl::StatusOr<DocumentsView> LocateDocuments(const SegmentView& view, const DocumentsPlace& place);
// Begins to read the documents from the medium, or into the CPU's cache if they were verified
// before.
void FetchDocuments(const SegmentView& view, const DocumentsView& documents);
// Returns kDataLoss if the pages of the documents are damaged.
absl::Status VerifyDocuments(const SegmentView& view, const DocumentsView& documents);

// Begin to read from the medium what ReadPostingList will read, and the first positions of the
// list. Later positions are prefetched while earlier ones are read. The functions wait for nothing,
// and the entry may be damaged.
void PrefetchPostingList(const SegmentView& view, const DictionaryEntry& entry, ListParts parts);
void PrefetchPositions(const SegmentView& view, const DictionaryEntry& entry);

}  // namespace pmdex
