// Walks the documents of one posting list, and knows the index of the posting on which it stands.
// Term and phrase cursors are built on it. Satisfies DocIterator without virtual calls.
#pragma once

#include "engine/segment/postings/posting_list.h"
#include "query/cursor/cursor.h"

namespace pmdex {

class PostingCursor {
 public:
  // The context must outlive the cursor.
  PostingCursor(const PostingListView& list, CursorContext& context)
      : list_(list), context_(&context) {
    Settle(0);
  }

  DocId doc() const { return doc_; }
  uint64_t Cost() const { return list_.df; }
  const PostingListView& list() const { return list_; }
  uint32_t index() const { return index_; }  // of the posting; df at the end

  DocId Next() {
    if (doc_ == kEndOfDocs) return doc_;
    ++index_;
    return Settle(doc_ + 1);
  }

  // Galloping search over the docids: about 2 log2(distance) probes. In a list with a bitset it
  // costs one word of the bitset and one rank.
  DocId Seek(DocId target);

 private:
  // Reads the document at index_, which must be at least `least`.
  DocId Settle(DocId least) {
    if (index_ >= list_.df) return doc_ = kEndOfDocs;
    const DocId doc = list_.bits == nullptr ? list_.docids[index_] : list_.FirstFrom(least);
    if (doc < least || doc >= context_->doc_count) return Damaged(doc);
    return doc_ = doc;
  }
  DocId SeekBits(DocId target);
  DocId Damaged(DocId doc);

  PostingListView list_;
  CursorContext* context_;
  uint32_t index_ = 0;
  DocId doc_ = kEndOfDocs;
};
static_assert(DocIterator<PostingCursor>);

}  // namespace pmdex
