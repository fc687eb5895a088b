// Counts the documents of a posting list that are not deleted. The values in the list are not
// trusted. Thread-safe: no state. The list and the context must outlive a call.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/segment/postings/posting_list.h"
#include "query/cursor/cursor.h"

namespace pmdex {

// How many documents of the list are not deleted: its df in a segment without deletions. Beyond
// `limit` it may stop counting. The result is a lower bound if the context has timed out or a docid
// is damaged, which it reports to the context.
uint64_t CountLivePostings(const PostingListView& list, CursorContext& context,
                           uint64_t limit = UINT64_MAX);
// The same, of the list of a dictionary entry, if it is known without a look at the list: from an
// earlier count under the same bitmap, or because the list is inline.
std::optional<uint64_t> KnownLivePostings(const DictionaryEntry& entry, const LiveDocs& live_docs,
                                          uint64_t segment_id);

}  // namespace pmdex
