// The layout of the section kNumericColumns, a part of the format of segments (format.h). The
// section holds the columns of a segment: the values that its documents have of fields that are not
// text. All numbers are little-endian. Plain structs and constants; engine/columns/ reads and
// writes them.
//
// A value is stored as its key: a u64 that is in the same order as the values (column_key.h). The
// section begins with the ColumnsHeader, ColumnEntry[column_count] and the names of the columns.
// The parts of the columns follow, column by column, in the order of ColumnLayout. Each part begins
// at a multiple of kColumnAlignment, and zeros fill the space before it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pmdex {

struct ColumnsHeader {
  uint32_t column_count;  // 1 to kMaxColumns
  uint32_t reserved[3];
};
static_assert(sizeof(ColumnsHeader) == 16);
inline constexpr uint32_t kMaxColumns = 65536;
inline constexpr uint32_t kMaxColumnValues = 0xffffffff;  // of one column

struct ColumnEntry {
  uint32_t name_offset;  // from the start of the section
  uint32_t name_bytes;
  uint8_t type;         // a FieldType, never kText
  uint8_t value_bytes;  // of an element of the values: 1, 2, 4 or 8
  uint8_t flags;        // kColumnIsMulti
  uint8_t reserved_byte;
  uint32_t doc_count;    // documents with a value; at least 1
  uint64_t value_count;  // at least doc_count, and equal without kColumnIsMulti
  uint64_t least;        // the least key
  uint64_t greatest;     // the greatest key
  // Where the parts begin, from the start of the section; 0 for parts that are not there.
  uint64_t presence_offset;
  uint64_t starts_offset;
  uint64_t values_offset;
  uint64_t zones_offset;
  uint64_t order_offset;
  uint64_t samples_offset;
  uint64_t keyword_starts_offset;
  uint64_t keywords_offset;
  uint64_t keyword_count;  // different keywords; 0 unless the type is kKeyword
  uint64_t keywords_bytes;
  uint64_t reserved;
};
static_assert(sizeof(ColumnEntry) == 128);
// Documents may have several values: the column has starts.
inline constexpr uint8_t kColumnIsMulti = 1;

inline constexpr uint64_t kColumnAlignment = 64;
// So many zeros follow the values, so that a vector load from the last one stays inside.
inline constexpr uint64_t kColumnTailBytes = 64;

// The documents of a segment are divided into windows of so many for zones.
inline constexpr uint32_t kZoneDocs = 4096;
// The least and the greatest key of the values of a window's documents. Without values `least` is
// 2^64 - 1 and `greatest` is 0.
struct ColumnZone {
  uint64_t least;
  uint64_t greatest;
};
static_assert(sizeof(ColumnZone) == 16);
constexpr uint64_t ZoneCount(uint32_t doc_count) {
  return (uint64_t{doc_count} + kZoneDocs - 1) / kZoneDocs;
}

// One in so many values in ascending order is a sample.
inline constexpr uint64_t kSampleValues = 256;
constexpr uint64_t SampleCount(uint64_t value_count) {
  return (value_count + kSampleValues - 1) / kSampleValues;
}

}  // namespace pmdex
