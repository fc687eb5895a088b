// The order of hits: by score, or in index order. Pure functions.
#pragma once

#include <optional>
#include <vector>

#include "pmem/status.h"
#include "query/searcher.h"
#include "tools/server/elasticsearch/json_text.h"

namespace pmdex {

enum class SearchSortKey { kScore, kDoc };

struct SearchSort {
  // As the answer shows them; empty if the request names none, or only the score.
  std::vector<SearchSortKey> keys;

  bool by_doc() const { return !keys.empty() && keys[0] == SearchSortKey::kDoc; }
  // True if the keys hold the score, which the hits then have.
  bool has_score() const;
};

// value: a name, or a list of names and of {"NAME": "desc"} or {"NAME": {"order": "desc"}}. Scores
// fall and documents ascend; other orders and other fields are refused by name.
absl::StatusOr<SearchSort> ReadSort(const Json& value);
// Reads search_after: a value for each key.
absl::StatusOr<SearchPlace> ReadSearchAfter(const Json& value, const SearchSort& sort);
// The values of a hit.
Json SortValues(const SearchSort& sort, float score, uint64_t doc);

}  // namespace pmdex
