#include "query/result/doc_value.h"

#include "engine/columns/column_key.h"
#include "engine/columns/column_view.h"
#include "query/columns/snapshot_columns.h"

namespace pmdex {

absl::StatusOr<std::vector<DocValue>> ReadDocValues(const Segment& segment, DocId doc,
                                                    std::string_view field) {
  std::vector<DocValue> read;
  const ColumnView* const column = segment.FindColumn(field);
  if (column == nullptr) return read;
  PMDEX_ASSIGN_OR_RETURN(const ValueRange values, column->ValuesOf(doc));
  for (uint64_t i = 0; i < values.count; ++i) {
    PMDEX_ASSIGN_OR_RETURN(const uint64_t key, column->KeyAt(values.first + i));
    DocValue& value = read.emplace_back();
    value.type = column->type();
    if (value.type == FieldType::kKeyword) {
      PMDEX_ASSIGN_OR_RETURN(value.keyword, column->Keyword(key));
    } else {
      value.bits = BitsOfKey(value.type, key);
    }
  }
  return read;
}

absl::StatusOr<std::vector<std::vector<DocValue>>> ReadFields(
    const Segment& segment, DocId doc, const std::vector<std::string>& fields) {
  std::vector<std::vector<DocValue>> values;
  for (const std::string& field : fields) {
    PMDEX_ASSIGN_OR_RETURN(values.emplace_back(), ReadDocValues(segment, doc, field));
  }
  return values;
}

absl::Status CheckColumns(const std::vector<std::string>& fields, const Snapshot& snapshot) {
  for (const std::string& field : fields) {
    const std::optional<FieldType> type = TypeOfField(snapshot, field);
    if (!type.has_value()) return InvalidArgument("no document has the field " + field);
    if (*type == FieldType::kText) {
      return InvalidArgument("the field " + field + " is text, which has no values");
    }
  }
  return absl::OkStatus();
}

}  // namespace pmdex
