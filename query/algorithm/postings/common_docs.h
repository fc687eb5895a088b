// Finds the documents that posting lists have in common by reading the lists from front to back.
// Where lists are of similar length that costs less than looking up every document of one list in
// the other (KeepFoundDocs chooses). It marks the documents of one list in a small table, a byte
// for each document of a range, and reads the marks with the documents of the other: neither step
// branches on a document.
//
// The values in the lists are not trusted: whatever they are, reads and writes stay in bounds.
// Thread-safe: each thread has marks of its own. The lists and the context must outlive a call.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/segment/postings/posting_list.h"
#include "query/algorithm/postings/posting_windows.h"
#include "query/cursor/cursor.h"

namespace pmdex {

// True if reading `other` whole costs less than looking up in it each of `look_ups` documents.
bool PaysToReadWhole(const PostingListView& other, uint64_t look_ups);

// Clears bit i of `members` unless the document of the lead's posting i is in `other`, too.
// Requires a lead with docids and `members` of ceil(lead.df / 64) words. Returns false if the
// context has timed out; the bits are meaningless then.
bool KeepCommonDocs(const PostingListView& lead, const PostingListView& other,
                    CursorContext& context, std::span<uint64_t> members);

// The same for the documents of `other`, but looks each document of the lead up in it where that
// costs less than to read the list whole. Requires that the lead's documents ascend and exist.
bool KeepFoundDocs(const PostingListView& lead, PostingWindows& other, CursorContext& context,
                   std::span<uint64_t> members);

// Clears bit i of `members` if the document of the lead's posting i is deleted. Otherwise as
// KeepCommonDocs. Looks only at documents whose bit is set, so that it costs least as the last
// step.
bool KeepLiveDocs(const PostingListView& lead, CursorContext& context, std::span<uint64_t> members);

// Which of a list's documents are in other lists, too. Each mask has a bit for each posting of the
// list, in df / 64 + 1 words.
struct SharedDocs {
  std::vector<uint64_t> not_alone;  // set if the document is in another list, too
  std::vector<uint64_t> not_first;  // clear if it is in another list, too, and in none before this
  bool is_first_empty = true;       // no bit of not_first is clear
};
// Finds out for each of the lists. Requires lists with docids. A list by itself is not read. Empty
// if the context has timed out.
std::vector<SharedDocs> FindSharedDocs(std::span<const PostingListView* const> lists,
                                       CursorContext& context);

// How many documents that are not deleted are in at least one of the lists. Requires lists with
// docids. nullopt if the context has timed out.
std::optional<uint64_t> CountUnion(std::span<const PostingListView* const> lists,
                                   CursorContext& context);

}  // namespace pmdex
