// The union of many posting lists as a set of documents, for a prefix, wildcard or regular
// expression. A sparse set is a sorted vector, a dense one a bitset. Docids are checked when they
// are added.
//
// One thread fills a DocSet and calls Finish. After that any number of threads may read it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/segment/postings/posting_list.h"
#include "query/cursor/cursor.h"
#include "query/kernel/window_bits.h"

namespace pmdex {

class DocSet {
 public:
  explicit DocSet(uint32_t doc_count) : doc_count_(doc_count) {}

  // Adds the documents of the list. Docids out of range are reported to the context and left out.
  void Add(const DocumentsView& list, CursorContext& context);
  // To be called once, after the last Add. Sorts a sparse set.
  void Finish();

  // The first document >= target; kEndOfDocs if there is none. hint: state that the caller keeps
  // between calls, 0 at first; it makes ascending targets cheap. Requires Finish.
  DocId FirstFrom(DocId target, size_t& hint) const;
  // Whether a document of the segment is a member. Requires Finish.
  bool Contains(DocId doc) const {
    return dense_ ? (words_[doc / 64] >> (doc % 64) & 1) != 0
                  : std::binary_search(sparse_.begin(), sparse_.end(), doc);
  }
  // Sets the bits of the members that lie in the window; leaves other bits alone. Requires Finish.
  void Fill(uint32_t window, WindowBits& bits) const;
  uint64_t size_bound() const { return size_bound_; }
  uint64_t size_bytes() const {  // in memory
    return sparse_.capacity() * sizeof(DocId) + words_.capacity() * sizeof(uint64_t);
  }

 private:
  void MakeDense();
  void AddBits(const DocumentsView& list, CursorContext& context);
  void ReportBeyond(std::string_view what, CursorContext& context) const;

  uint32_t doc_count_;
  bool dense_ = false;
  std::vector<DocId> sparse_;
  std::vector<uint64_t> words_;
  uint64_t size_bound_ = 0;  // postings added; at least the number of members
};

class DocSetCursor final : public DocCursor {
 public:
  // Requires a finished set.
  DocSetCursor(DocSet set, float score);

  DocId Next() override {
    return doc_ == kEndOfDocs ? doc_ : doc_ = set_.FirstFrom(doc_ + 1, hint_);
  }
  DocId Seek(DocId target) override {
    return target <= doc_ ? doc_ : doc_ = set_.FirstFrom(target, hint_);
  }
  float Score() override { return score_; }
  uint64_t Cost() const override { return set_.size_bound(); }

 private:
  DocSet set_;
  float score_;
  size_t hint_ = 0;
};

}  // namespace pmdex
