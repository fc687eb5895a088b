#include "engine/columns/columns_writer.h"

#include <algorithm>
#include <bit>
#include <span>
#include <vector>

#include "absl/strings/str_cat.h"

#include "engine/columns/column_layout.h"
#include "engine/segment/dictionary/radix_sort.h"
#include "engine/segment/format.h"

namespace pmdex {
namespace {

uint32_t CountDocuments(const ColumnBuilder& column) {
  const size_t values = column.keys().size();
  if (column.is_dense()) return static_cast<uint32_t>(values);
  uint32_t count = 0;
  for (size_t i = 0; i < values; ++i) {
    count += i == 0 || column.doc_of(i) != column.doc_of(i - 1) ? 1 : 0;
  }
  return count;
}

// All members but the offsets.
ColumnEntry EntryOf(const ColumnBuilder& column) {
  ColumnEntry entry{};
  const auto [least, greatest] = std::minmax_element(column.keys().begin(), column.keys().end());
  entry.name_bytes = static_cast<uint32_t>(column.name().size());
  entry.type = static_cast<uint8_t>(column.type());
  entry.value_bytes = ValueBytesOf(*least, *greatest);
  entry.doc_count = CountDocuments(column);
  entry.value_count = column.value_count();
  entry.flags = entry.value_count != entry.doc_count ? kColumnIsMulti : 0;
  entry.least = *least;
  entry.greatest = *greatest;
  entry.keyword_count = column.keywords().size();
  for (const std::string_view keyword : column.keywords()) entry.keywords_bytes += keyword.size();
  return entry;
}

// The index of the first value of each document, and the number of values.
void WriteStarts(const ColumnBuilder& column, SectionStream& stream) {
  const size_t values = column.keys().size();
  for (size_t i = 0; i < values; ++i) {
    if (i == 0 || column.doc_of(i) != column.doc_of(i - 1)) {
      stream.AppendValue(static_cast<uint32_t>(i));
    }
  }
  stream.AppendValue(static_cast<uint32_t>(values));
}

template <typename T>
void WriteValuesAs(std::span<const uint64_t> keys, uint64_t least, SectionStream& stream) {
  for (const uint64_t key : keys) stream.AppendValue(static_cast<T>(key - least));
}

void WriteValues(const ColumnBuilder& column, const ColumnEntry& entry, SectionStream& stream) {
  switch (entry.value_bytes) {
    case 1:
      return WriteValuesAs<uint8_t>(column.keys(), entry.least, stream);
    case 2:
      return WriteValuesAs<uint16_t>(column.keys(), entry.least, stream);
    case 4:
      return WriteValuesAs<uint32_t>(column.keys(), entry.least, stream);
    default:
      return WriteValuesAs<uint64_t>(column.keys(), entry.least, stream);
  }
}

// A value to be sorted. Key: wide enough for OrderUnit::Of, because narrow ones are sorted faster.
template <typename Key>
struct OrderedValue {
  Key key;
  DocId doc;
};

template <typename Key>
struct OrderedValues {
  std::vector<OrderedValue<Key>> values;
  std::vector<OrderedValue<Key>> scratch;
};

// What all keys of a column are multiples of, from the least one on: times in whole seconds and
// short decimal fractions then need fewer bits.
struct OrderUnit {
  uint64_t least = 0;
  int shift = 0;
  bool is_second = false;  // after the shift by its nine powers of two

  static constexpr uint64_t kOddPartOfSecond = 1'000'000'000 >> 9;  // 5^9
  uint64_t Of(uint64_t key) const {
    const uint64_t units = (key - least) >> shift;
    return is_second ? units / kOddPartOfSecond : units;
  }
  uint64_t KeyOf(uint64_t units) const {
    return least + ((is_second ? units * kOddPartOfSecond : units) << shift);
  }
};

OrderUnit OrderUnitOf(const ColumnBuilder& column, const ColumnEntry& entry) {
  OrderUnit unit;
  unit.least = entry.least;
  if (entry.value_bytes <= sizeof(uint32_t)) return unit;
  uint64_t bits = 0;
  for (const uint64_t key : column.keys()) bits |= key - entry.least;
  unit.shift = std::countr_zero(bits);
  if (column.type() != FieldType::kDate || unit.Of(entry.greatest) <= UINT32_MAX) return unit;
  unit.is_second =
      std::all_of(column.keys().begin(), column.keys().end(), [shifted = unit](uint64_t key) {
        return shifted.Of(key) % OrderUnit::kOddPartOfSecond == 0;
      });
  return unit;
}

// The documents in the order of their values, and a sample of the values.
template <typename Key>
void WriteOrderAs(const ColumnBuilder& column, const ColumnEntry& entry, const OrderUnit& unit,
                  OrderedValues<Key>& memory, SectionStream& stream) {
  std::vector<OrderedValue<Key>>& values = memory.values;
  values.resize(column.keys().size());
  bool is_sorted = true;
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = {static_cast<Key>(unit.Of(column.keys()[i])), column.doc_of(i)};
    is_sorted = is_sorted && (i == 0 || values[i - 1].key <= values[i].key);
  }
  if (!is_sorted) {
    RadixSort(values, memory.scratch, [](const OrderedValue<Key>& value) { return value.key; });
  }
  stream.PadTo(entry.order_offset);
  for (const OrderedValue<Key>& value : values) stream.AppendValue(value.doc);
  stream.PadTo(entry.samples_offset);
  for (size_t i = 0; i < values.size(); i += kSampleValues) {
    stream.AppendValue(unit.KeyOf(values[i].key));
  }
}

void WriteKeywords(const ColumnBuilder& column, const ColumnEntry& entry, SectionStream& stream) {
  stream.PadTo(entry.keyword_starts_offset);
  uint64_t start = 0;
  for (const std::string_view keyword : column.keywords()) {
    stream.AppendValue(start);
    start += keyword.size();
  }
  stream.AppendValue(start);
  stream.PadTo(entry.keywords_offset);
  for (const std::string_view keyword : column.keywords()) {
    stream.AppendArray(std::span<const char>(keyword));
  }
}

}  // namespace

// What the columns use one after the other. One of the two is empty.
struct ColumnsWriter::SortMemory {
  OrderedValues<uint32_t> narrow;
  OrderedValues<uint64_t> wide;
};

absl::Status ColumnsWriter::PlanColumn(const ColumnBuilder& column, size_t index) {
  if (column.value_count() == 0) return absl::OkStatus();
  if (columns_.size() == kMaxColumns) return InvalidArgument("too many columns");
  if (column.value_count() > kMaxColumnValues) {
    return InvalidArgument(absl::StrCat("too many values of ", column.name(), " for a segment"));
  }
  if (column.doc_of(column.value_count() - 1) >= doc_count_) {
    return MakeStatus(absl::StatusCode::kInternal,
                      absl::StrCat("column ", column.name(), ": there is no such document"));
  }
  columns_.push_back(index);
  names_.push_back(column.name());
  entries_.push_back(EntryOf(column));
  return absl::OkStatus();
}

absl::StatusOr<ColumnsWriter> ColumnsWriter::Plan(ColumnSource* columns, uint32_t doc_count) {
  ColumnsWriter writer;
  writer.doc_count_ = doc_count;
  writer.source_ = columns;
  const size_t count = columns == nullptr ? 0 : columns->column_count();
  for (size_t i = 0; i < count; ++i) {
    PMDEX_ASSIGN_OR_RETURN(const ColumnBuilder* const column, columns->Load(i));
    PMDEX_RETURN_IF_ERROR(writer.PlanColumn(*column, i));
  }
  if (writer.columns_.empty()) return writer;
  uint64_t end = sizeof(ColumnsHeader) + writer.columns_.size() * sizeof(ColumnEntry);
  for (ColumnEntry& entry : writer.entries_) {
    entry.name_offset = static_cast<uint32_t>(end);
    end += entry.name_bytes;
    if (end > UINT32_MAX) return InvalidArgument("the columns' names are too long");
  }
  for (ColumnEntry& entry : writer.entries_) end = LayOutColumn(doc_count, end, entry);
  writer.size_bytes_ = end;
  return writer;
}

absl::Status ColumnsWriter::Write(SectionStream& stream) const {
  ColumnsHeader header{};
  header.column_count = static_cast<uint32_t>(columns_.size());
  stream.AppendValue(header);
  stream.AppendArray(std::span<const ColumnEntry>(entries_));
  for (const std::string& name : names_) stream.AppendArray(std::span<const char>(name));
  SortMemory memory;
  for (size_t i = 0; i < columns_.size(); ++i) {
    PMDEX_ASSIGN_OR_RETURN(const ColumnBuilder* const column, source_->Load(columns_[i]));
    WriteColumn(*column, entries_[i], memory, stream);
  }
  return absl::OkStatus();
}

void ColumnsWriter::WriteOrder(const ColumnBuilder& column, const ColumnEntry& entry,
                               SortMemory& memory, SectionStream& stream) {
  const OrderUnit unit = OrderUnitOf(column, entry);
  if (unit.Of(entry.greatest) <= UINT32_MAX) {
    memory.wide = {};
    WriteOrderAs(column, entry, unit, memory.narrow, stream);
  } else {
    memory.narrow = {};
    WriteOrderAs(column, entry, unit, memory.wide, stream);
  }
}

void ColumnsWriter::WriteColumn(const ColumnBuilder& column, const ColumnEntry& entry,
                                SortMemory& memory, SectionStream& stream) const {
  if (entry.presence_offset != 0) {
    stream.PadTo(entry.presence_offset);
    WritePresence(column, stream);
  }
  if (entry.starts_offset != 0) {
    stream.PadTo(entry.starts_offset);
    WriteStarts(column, stream);
  }
  stream.PadTo(entry.values_offset);
  WriteValues(column, entry, stream);
  stream.PadTo(stream.size_bytes() + kColumnTailBytes);
  stream.PadTo(entry.zones_offset);
  WriteZones(column, stream);
  WriteOrder(column, entry, memory, stream);
  if (entry.keyword_count != 0) WriteKeywords(column, entry, stream);
}

void ColumnsWriter::WritePresence(const ColumnBuilder& column, SectionStream& stream) const {
  std::vector<uint64_t> words(BitsetWords(doc_count_), 0);
  for (size_t i = 0; i < column.keys().size(); ++i) {
    const DocId doc = column.doc_of(i);
    words[doc / 64] |= uint64_t{1} << (doc % 64);
  }
  stream.AppendArray(std::span<const uint64_t>(words));
  uint32_t rank = 0;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i % (kRankDocs / 64) == 0) stream.AppendValue(rank);
    rank += static_cast<uint32_t>(std::popcount(words[i]));
  }
  stream.AppendValue(rank);
}

void ColumnsWriter::WriteZones(const ColumnBuilder& column, SectionStream& stream) const {
  std::vector<ColumnZone> zones(ZoneCount(doc_count_), {UINT64_MAX, 0});
  for (size_t i = 0; i < column.keys().size(); ++i) {
    ColumnZone& zone = zones[column.doc_of(i) / kZoneDocs];
    zone.least = std::min(zone.least, column.keys()[i]);
    zone.greatest = std::max(zone.greatest, column.keys()[i]);
  }
  stream.AppendArray(std::span<const ColumnZone>(zones));
}

}  // namespace pmdex
