// Random columns of every type and shape: dense and sparse, one value and several, narrow and wide,
// in the order of the documents and in none. They fill an input of the segment writer, and keep the
// values for an oracle.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/columns/field_value.h"
#include "tests/support/vector_segment_input.h"

namespace pmdex {

struct ColumnValue {
  uint64_t bits = 0;    // as in FieldValue
  std::string keyword;  // of keywords
};

struct RandomColumn {
  std::string name;
  FieldType type = FieldType::kI64;
  std::vector<std::vector<ColumnValue>> values;  // indexed by document

  FieldValue ValueOf(const ColumnValue& value) const { return {type, value.bits, value.keyword}; }
};

// The columns n, big, id, f, flag, time, level, name, tags, nums, rare and one of `doc_count`
// documents. The same seed gives the same values.
std::vector<RandomColumn> MakeRandomColumns(uint64_t seed, uint32_t doc_count);

// Adds the values of the documents [first_doc, first_doc + doc_count of the input) to the input's
// documents 0, 1, and so on.
void AddColumns(const std::vector<RandomColumn>& columns, uint32_t first_doc,
                VectorSegmentInput& input);

}  // namespace pmdex
