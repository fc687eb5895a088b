// Where the parts of a column lie in the section of the columns (engine/segment/column_format.h).
// Writer, reader and verifier compute it alike from the counts in the column's entry. Stateless.
#pragma once

#include <cstdint>

#include "engine/segment/column_format.h"

namespace pmdex {

// The bytes of an element of the values: enough for the differences from the least key.
uint8_t ValueBytesOf(uint64_t least, uint64_t greatest);

// Sets all offsets of the entry from its other members, for a column whose parts begin at `begin`.
// segment_docs: the documents of the segment. Returns where the parts end. Requires
// doc_count <= segment_docs, at most kMaxColumnValues values and keywords, and keywords_bytes and
// `begin` below 2^48.
uint64_t LayOutColumn(uint32_t segment_docs, uint64_t begin, ColumnEntry& entry);

}  // namespace pmdex
