#include "query/access/visible_snapshot.h"

#include <string_view>
#include <utility>
#include <vector>

#include "engine/columns/column_view.h"
#include "query/access/access_rights.h"

namespace pmdex {
namespace {

constexpr std::string_view kAccessField = "access";

// For each keyword of the column, whether it lets the user read.
absl::StatusOr<std::vector<bool>> JudgeKeywords(const UserIdentity& user,
                                                const ColumnView& column) {
  std::vector<bool> may_read(column.keyword_count());
  for (uint64_t ordinal = 0; ordinal < may_read.size(); ++ordinal) {
    PMDEX_ASSIGN_OR_RETURN(const std::string_view access, column.Keyword(ordinal));
    may_read[ordinal] = MayRead(user, access);
  }
  return may_read;
}

// All of the document's values let the user read, and there is one.
absl::StatusOr<bool> MaySee(const ColumnView& column, DocId doc,
                            const std::vector<bool>& may_read) {
  PMDEX_ASSIGN_OR_RETURN(const ValueRange values, column.ValuesOf(doc));
  for (uint32_t i = 0; i < values.count; ++i) {
    PMDEX_ASSIGN_OR_RETURN(const uint64_t ordinal, column.KeyAt(values.first + i));
    if (ordinal >= may_read.size() || !may_read[ordinal]) return false;
  }
  return values.count > 0;
}

absl::StatusOr<std::vector<DocId>> HiddenDocs(const UserIdentity& user, const Segment& segment) {
  const ColumnView* const column = segment.FindColumn(kAccessField);
  const bool is_known = column != nullptr && column->type() == FieldType::kKeyword;
  std::vector<bool> may_read;
  if (is_known) {
    PMDEX_ASSIGN_OR_RETURN(may_read, JudgeKeywords(user, *column));
  }
  std::vector<DocId> hidden;
  for (DocId doc = 0; doc < segment.doc_count(); ++doc) {
    bool may_see = false;
    if (is_known) {
      PMDEX_ASSIGN_OR_RETURN(may_see, MaySee(*column, doc, may_read));
    }
    if (!may_see) hidden.push_back(doc);
  }
  return hidden;
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Snapshot>> ShowOnlyTo(
    const UserIdentity& user, const std::shared_ptr<const Snapshot>& snapshot) {
  if (user.uid == 0) return snapshot;
  std::vector<std::vector<DocId>> hidden;
  for (const auto& segment : snapshot->segments()) {
    PMDEX_ASSIGN_OR_RETURN(hidden.emplace_back(), segment->Checked(HiddenDocs(user, *segment)));
  }
  return snapshot->WithoutDocs(hidden);
}

}  // namespace pmdex
