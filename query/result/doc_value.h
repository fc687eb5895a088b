// A value of a document as an answer shows it: of a field, or a key by which hits are sorted. A
// plain value.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/columns/field_type.h"
#include "engine/segment/segment.h"
#include "engine/store/snapshot.h"
#include "pmem/status.h"

namespace pmdex {

struct DocValue {
  FieldType type = FieldType::kI64;
  bool missing = false;  // a key of a document that has no value
  uint64_t bits = 0;     // as in FieldValue
  std::string keyword;   // of keywords

  int64_t i64() const { return std::bit_cast<int64_t>(bits); }
  double f64() const { return std::bit_cast<double>(bits); }
};

// The values of a document in a column, in the order in which the document has them; none if there
// are none. kDataLoss if they are damaged.
absl::StatusOr<std::vector<DocValue>> ReadDocValues(const Segment& segment, DocId doc,
                                                    std::string_view field);

// The same for several fields, indexed like them.
absl::StatusOr<std::vector<std::vector<DocValue>>> ReadFields(
    const Segment& segment, DocId doc, const std::vector<std::string>& fields);

// kInvalidArgument unless every field has values that are not text.
absl::Status CheckColumns(const std::vector<std::string>& fields, const Snapshot& snapshot);

}  // namespace pmdex
