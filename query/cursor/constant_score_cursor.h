// The documents of another cursor, all with the same score.
#pragma once

#include <utility>

#include "query/cursor/cursor.h"

namespace pmdex {

class ConstantScoreCursor final : public DocCursor {
 public:
  ConstantScoreCursor(CursorPointer docs, float score) : docs_(std::move(docs)), score_(score) {
    doc_ = docs_->doc();
  }

  DocId Next() override { return doc_ = docs_->Next(); }
  DocId Seek(DocId target) override { return doc_ = docs_->Seek(target); }
  float Score() override { return score_; }
  uint64_t Cost() const override { return docs_->Cost(); }

 private:
  CursorPointer docs_;
  float score_;
};

}  // namespace pmdex
