// The documents of one cursor that another cursor does not match, with the scores of the first one.
#pragma once

#include <utility>

#include "query/cursor/cursor.h"

namespace pmdex {

class ExclusionCursor final : public DocCursor {
 public:
  // context: may be nullptr if there is no deadline.
  ExclusionCursor(CursorPointer included, CursorPointer excluded, CursorContext* context = nullptr)
      : included_(std::move(included)), excluded_(std::move(excluded)), context_(context) {
    Skip(included_->doc());
  }

  DocId Next() override { return doc_ == kEndOfDocs ? doc_ : Skip(included_->Next()); }
  DocId Seek(DocId target) override {
    return target <= doc_ ? doc_ : Skip(included_->Seek(target));
  }
  float Score() override { return included_->Score(); }
  uint64_t Cost() const override { return included_->Cost(); }

 private:
  DocId Skip(DocId doc) {
    constexpr uint64_t kStepWork = 4;
    while (doc != kEndOfDocs && excluded_->Seek(doc) == doc) {
      const bool is_over = context_ != nullptr && context_->IsOver(kStepWork);
      doc = is_over ? kEndOfDocs : included_->Next();
    }
    return doc_ = doc;
  }

  CursorPointer included_;
  CursorPointer excluded_;
  CursorContext* context_;
};

}  // namespace pmdex
