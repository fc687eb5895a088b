// Values of fields as JSON, in answers and in the flag --after. Stateless.
#pragma once

#include <string_view>
#include <vector>

#include "pmem/status.h"
#include "query/result/doc_value.h"
#include "query/result/sort_keys.h"
#include "tools/json_writer.h"

namespace pmdex {

// Numbers are numbers, integers exact; dates are RFC 3339 in UTC; null: missing, and numbers that
// JSON does not have.
void WriteValue(const DocValue& value, JsonWriter& json);
// One value by itself, several as an array.
void WriteValues(const std::vector<DocValue>& values, JsonWriter& json);

// Reads what WriteValue has written, as an array: ["error", 12, null]. kInvalidArgument if the text
// is no such array.
absl::StatusOr<std::vector<SortAfter>> ParseSortAfter(std::string_view json);

}  // namespace pmdex
