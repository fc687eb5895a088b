// Cursors that need no posting list: over no documents, over all documents, and over those that
// have a field. Every document has the same score.
#pragma once

#include <span>

#include "query/cursor/cursor.h"

namespace pmdex {

class EmptyCursor final : public DocCursor {
 public:
  DocId Next() override { return doc_; }
  DocId Seek(DocId) override { return doc_; }
  uint64_t Cost() const override { return 0; }
  float Score() override { return 0; }
};

class AllCursor final : public DocCursor {
 public:
  AllCursor(uint32_t doc_count, float score) : doc_count_(doc_count), score_(score) {
    if (doc_count != 0) doc_ = 0;
  }

  DocId Next() override { return doc_ == kEndOfDocs ? doc_ : Move(doc_ + 1); }
  DocId Seek(DocId target) override { return target <= doc_ ? doc_ : Move(target); }
  uint64_t Cost() const override { return doc_count_; }
  float Score() override { return score_; }

 private:
  DocId Move(DocId doc) { return doc_ = doc < doc_count_ ? doc : kEndOfDocs; }

  uint32_t doc_count_;
  float score_;
};

// The documents whose length code in a field is not 0.
class FieldCursor final : public DocCursor {
 public:
  FieldCursor(std::span<const uint8_t> norms, float score) : norms_(norms), score_(score) {
    Move(0);
  }

  DocId Next() override { return doc_ == kEndOfDocs ? doc_ : Move(doc_ + 1); }
  DocId Seek(DocId target) override { return target <= doc_ ? doc_ : Move(target); }
  uint64_t Cost() const override { return norms_.size(); }
  float Score() override { return score_; }

 private:
  DocId Move(DocId doc) {
    while (doc < norms_.size() && norms_[doc] == 0) ++doc;
    return doc_ = doc < norms_.size() ? doc : kEndOfDocs;
  }

  std::span<const uint8_t> norms_;
  float score_;
};

}  // namespace pmdex
