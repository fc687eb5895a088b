// The order of hits: by score, in index order, or by the values of fields. Pure functions.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pmem/status.h"
#include "query/result/doc_value.h"
#include "query/result/sort_keys.h"
#include "query/searcher.h"
#include "tools/server/elasticsearch/json_text.h"
#include "tools/server/mapping/mapped_fields.h"

namespace pmdex {

struct SearchSort {
  // As the answer shows them; empty if the request names none, or only the score.
  std::vector<SortKey> keys;

  bool by_doc() const { return !keys.empty() && keys[0].field == "_doc" && !by_fields(); }
  // True if a key is a field, the rising score or the falling document. Then SearchOptions::sort
  // orders the hits.
  bool by_fields() const;
  // True if the first key is the falling score, so that no hit is better than the first.
  bool begins_with_best() const;
  // True if the keys hold the score, which the hits then have.
  bool has_score() const;
  // True if something else than the score orders the hits.
  bool hides_scores() const { return by_doc() || by_fields(); }
  // For SearchOptions::sort: the keys, and behind them the document, so that the place of a hit is
  // exact. Requires by_fields().
  std::vector<SortKey> whole_keys() const;
};

// value: a name, or a list of names and of {"NAME": "desc"} or {"NAME": {"order": "desc"}}. Without
// an order the score falls, and documents and fields ascend.
absl::StatusOr<SearchSort> ReadSort(const Json& value);

// Where a page of hits begins.
struct SearchAfter {
  std::optional<SearchPlace> place;
  std::vector<SortAfter> values;  // by_fields(): indexed like whole_keys()
  // Indexed like the list of the request: the value is a number of JSON.
  std::vector<bool> is_number;
};
// Reads search_after: a value for each key.
absl::StatusOr<SearchAfter> ReadSearchAfter(const Json& value, const SearchSort& sort);
// The place of a hit. values: SearchResult::sort_values of whole_keys().
std::vector<SortAfter> PlaceOfHit(const std::vector<DocValue>& values);

// The values of a hit by its score and its number.
Json SortValues(const SearchSort& sort, float score, uint64_t doc);
// The values of a hit by_fields(), as Elasticsearch shows them: those of date_nanos are
// nanoseconds, other dates milliseconds. mapped: of the index of the hit; may be nullptr.
Json SortValues(const SearchSort& sort, const std::vector<DocValue>& values,
                const MappedFields* mapped);
// What an index says of a field to sort by.
using TypeOfSortField = std::function<std::optional<FieldType>(std::string_view field)>;
// The place with dates and whole numbers as the index reads them. Numbers are what SortValues shows
// of dates, and so are digits in a string for date_nanos. Of a number with a fraction its whole
// part counts. mapped: of the index; may be nullptr.
void ReadPlaceIn(const MappedFields* mapped, const TypeOfSortField& type_of, const SearchSort& sort,
                 SearchAfter& after);
// True for date_nanos, whose dates are compared in nanoseconds; those of other fields are compared
// in milliseconds. mapped: as above.
bool HasNanoseconds(const MappedFields* mapped, std::string_view field);

// Less than 0 if a comes before b, 0 if they are equal. Both are values of this key; those of two
// indexes may have different types.
int CompareSortValues(const SortKey& key, const DocValue& a, const DocValue& b);

}  // namespace pmdex
