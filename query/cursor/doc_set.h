// The union of many posting lists as a set of documents: what a prefix or a wildcard stands for.
// Sparse sets are a sorted vector, dense ones a bitset; docids are checked as they come in.
//
// DocSet: fill by one thread and finish; from then on any number may read it.
#pragma once

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

  // Docids out of range go to the context's damage and are left out.
  void Add(const DocumentsView& list, CursorContext& context);
  // Ends the filling. Sorts what is sparse.
  void Finish();

  // The first document >= target, kEndOfDocs when there is none. `hint`: of the caller, 0 at first;
  // makes ascending targets cheap. Requires Finish.
  DocId FirstFrom(DocId target, size_t& hint) const;
  // Adds the members among the window's documents to `bits`. Requires Finish.
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
  uint64_t size_bound_ = 0;  // postings added
};

class DocSetCursor final : public DocCursor {
 public:
  // Requires Finish.
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
