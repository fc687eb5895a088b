#include "query/access/link_entries.h"

#include "engine/columns/column_view.h"
#include "engine/ingest/entries/attribute_names.h"

namespace pmdex {

bool IsLinkEntry(const Segment& segment, DocId doc) {
  const ColumnView* const column = segment.FindColumn(attribute::kType);
  if (column == nullptr || column->type() != FieldType::kKeyword) return false;
  const auto values = column->ValuesOf(doc);
  if (!values.ok() || values->count != 1) return false;
  const auto ordinal = column->KeyAt(values->first);
  if (!ordinal.ok()) return false;
  const auto type = column->Keyword(*ordinal);
  return type.ok() && *type == "l";
}

bool IsLinkEntry(const Snapshot& snapshot, uint64_t doc) {
  size_t segment = snapshot.segments().size();
  while (segment > 0 && snapshot.doc_base(segment - 1) > doc) --segment;
  if (segment == 0) return false;
  const Segment& found = *snapshot.segments()[segment - 1];
  const uint64_t local = doc - snapshot.doc_base(segment - 1);
  return local < found.doc_count() && IsLinkEntry(found, static_cast<DocId>(local));
}

}  // namespace pmdex
