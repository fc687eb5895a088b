// The documents of a range of a column, for the exhaustive search. It asks the column about each
// document by itself, with no use of zones and of the order of values, so that it is an oracle for
// the searches that use them. Every document has the same score.
#pragma once

#include <memory>

#include "engine/columns/column_view.h"
#include "query/columns/column_keys.h"
#include "query/cursor/cursor.h"

namespace pmdex {

class ColumnCursor final : public DocCursor {
 public:
  // The context must outlive the cursor.
  ColumnCursor(const ColumnView& column, ColumnKeys keys, float score, CursorContext& context)
      : column_(column), keys_(std::move(keys)), score_(score), context_(context) {
    Move(0);
  }

  DocId Next() override { return doc_ == kEndOfDocs ? doc_ : Move(doc_ + 1); }
  DocId Seek(DocId target) override { return target <= doc_ ? doc_ : Move(target); }
  float Score() override { return score_; }
  uint64_t Cost() const override { return column_.doc_count(); }

 private:
  DocId Move(DocId doc) {
    for (; doc < context_.doc_count && !context_.IsOver(2); ++doc) {
      const absl::StatusOr<bool> matches = Matches(doc);
      if (!matches.ok()) {
        context_.ReportDamage(matches.status());
        break;
      }
      if (*matches) return doc_ = doc;
    }
    return doc_ = kEndOfDocs;
  }

  absl::StatusOr<bool> Matches(DocId doc) const {
    PMDEX_ASSIGN_OR_RETURN(const ValueRange values, column_.ValuesOf(doc));
    for (uint64_t i = 0; i < values.count; ++i) {
      PMDEX_ASSIGN_OR_RETURN(const uint64_t key, column_.KeyAt(values.first + i));
      if (keys_.Has(key)) return true;
    }
    return false;
  }

  ColumnView column_;
  ColumnKeys keys_;
  float score_;
  CursorContext& context_;
};

}  // namespace pmdex
