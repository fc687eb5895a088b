// The order in which hits are sorted by fields, and the place behind which a page of hits begins.
// Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/columns/field_type.h"
#include "engine/store/snapshot.h"
#include "pmem/status.h"

namespace pmdex {

struct SortKey {
  std::string field;  // a column, or "_score" or "_doc"
  bool descending = false;
  // The type of a field that no document has; nullopt: such a field is an error.
  std::optional<FieldType> type_if_absent = std::nullopt;
  // Dates of the same millisecond are equal, and are shown as its start. Says nothing of other
  // values.
  bool milliseconds = false;
};

// A value of the place behind which hits begin: as text, as an answer wrote it.
struct SortAfter {
  bool missing = false;
  std::string text;
};

// "FIELD[:asc|desc],...". Fields ascend without a word, and _score descends. kInvalidArgument for
// an empty list or name.
absl::StatusOr<std::vector<SortKey>> ParseSortKeys(std::string_view text);

enum class SortSource { kColumn, kScore, kDoc };

// A SortKey of an index.
struct BoundSortKey {
  SortSource source = SortSource::kColumn;
  std::string field;
  FieldType type = FieldType::kI64;  // of a column
  bool descending = false;
  bool milliseconds = false;  // of dates
};

// A value to sort by. Only values of the same key are compared.
struct SortRank {
  bool missing = false;
  uint64_t rank = 0;         // ascends with the value; 0 for keywords
  std::string_view keyword;  // of keywords
};

// The rank of a date, given as the key of its column.
uint64_t DateRankOf(const BoundSortKey& key, uint64_t date);

// Less than 0 if a comes before b, 0 if they are equal. A missing value comes last either way.
int CompareRanks(const BoundSortKey& key, const SortRank& a, const SortRank& b);

// kInvalidArgument for a field that the index does not have, and for text.
absl::StatusOr<std::vector<BoundSortKey>> BindSortKeys(const std::vector<SortKey>& keys,
                                                       const Snapshot& snapshot);
// The ranks of a place; empty for an empty place. Keywords view the text of `after`.
// kInvalidArgument if there is not one value for each key, or one is of another type.
absl::StatusOr<std::vector<SortRank>> BindSortAfter(const std::vector<SortAfter>& after,
                                                    const std::vector<BoundSortKey>& keys);

}  // namespace pmdex
