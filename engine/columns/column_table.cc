#include "engine/columns/column_table.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "engine/columns/column_layout.h"
#include "engine/segment/column_format.h"
#include "engine/segment/format.h"

namespace pmdex {
namespace {

// True if the members of the entry that are no offsets can stand in a section of section_bytes.
bool IsPlausible(const ColumnEntry& entry, uint32_t segment_docs, uint64_t section_bytes) {
  const std::optional<FieldType> type = FieldTypeOf(entry.type);
  if (!type.has_value() || *type == FieldType::kText) return false;
  const bool is_keyword = *type == FieldType::kKeyword;
  const bool is_multi = (entry.flags & kColumnIsMulti) != 0;
  return std::has_single_bit(entry.value_bytes) && entry.value_bytes <= 8 &&
         (entry.flags & ~kColumnIsMulti) == 0 && entry.doc_count != 0 &&
         entry.doc_count <= segment_docs && entry.value_count <= kMaxColumnValues &&
         (is_multi ? entry.value_count >= entry.doc_count : entry.value_count == entry.doc_count) &&
         entry.least <= entry.greatest && (entry.keyword_count != 0) == is_keyword &&
         (is_keyword || entry.keywords_bytes == 0) && entry.keyword_count <= entry.value_count &&
         entry.keywords_bytes <= section_bytes &&
         (!is_keyword || entry.greatest < entry.keyword_count);
}

bool HaveSameOffsets(const ColumnEntry& a, const ColumnEntry& b) {
  return a.presence_offset == b.presence_offset && a.starts_offset == b.starts_offset &&
         a.values_offset == b.values_offset && a.zones_offset == b.zones_offset &&
         a.order_offset == b.order_offset && a.samples_offset == b.samples_offset &&
         a.keyword_starts_offset == b.keyword_starts_offset &&
         a.keywords_offset == b.keywords_offset;
}

}  // namespace

absl::StatusOr<ColumnTable> ColumnTable::Open(const SegmentView& view) {
  ColumnTable table;
  const uint64_t section_bytes = view.RawSection(kColumnsSection).size();
  const uint32_t doc_count = view.header().doc_count;
  if (section_bytes == 0) return table;
  PMDEX_ASSIGN_OR_RETURN(const auto header, view.Array<ColumnsHeader>(kColumnsSection, 0, 1));
  const uint32_t count = header[0].column_count;
  if (count == 0 || count > kMaxColumns || section_bytes >= uint64_t{1} << 47) {
    return view.Damage(kColumnsSection, 0, "no number of columns that there can be");
  }
  uint64_t end = sizeof(ColumnsHeader) + uint64_t{count} * sizeof(ColumnEntry);
  PMDEX_ASSIGN_OR_RETURN(const auto bytes, view.Slice(kColumnsSection, sizeof(ColumnsHeader),
                                                      uint64_t{count} * sizeof(ColumnEntry)));
  std::vector<ColumnEntry> entries(count);
  std::memcpy(entries.data(), bytes.data(), bytes.size());
  std::string_view before;
  for (uint32_t i = 0; i < count; ++i) {
    const uint64_t offset = sizeof(ColumnsHeader) + i * sizeof(ColumnEntry);
    const ColumnEntry& entry = entries[i];
    PMDEX_ASSIGN_OR_RETURN(const auto name_bytes,
                           view.Slice(kColumnsSection, end, entry.name_bytes));
    const std::string_view name(reinterpret_cast<const char*>(name_bytes.data()),
                                name_bytes.size());
    if (entry.name_offset != end || (i != 0 && name <= before)) {
      return view.Damage(kColumnsSection, offset, "the names of the columns do not ascend");
    }
    if (!IsPlausible(entry, doc_count, section_bytes)) {
      return view.Damage(kColumnsSection, offset, "no column has such an entry");
    }
    end += entry.name_bytes;
    before = name;
    table.columns_.emplace_back(view, entry, name);
  }
  for (uint32_t i = 0; i < count; ++i) {
    ColumnEntry expected = entries[i];
    end = LayOutColumn(doc_count, end, expected);
    if (!HaveSameOffsets(entries[i], expected) || end > section_bytes) {
      return view.Damage(kColumnsSection, sizeof(ColumnsHeader) + i * sizeof(ColumnEntry),
                         "the parts of a column do not lie where they must");
    }
  }
  return table;
}

const ColumnView* ColumnTable::Find(std::string_view name) const {
  const auto found = std::lower_bound(
      columns_.begin(), columns_.end(), name,
      [](const ColumnView& column, std::string_view wanted) { return column.name() < wanted; });
  return found != columns_.end() && found->name() == name ? &*found : nullptr;
}

}  // namespace pmdex
