// An aggregation of a snapshot: the type of its field, and what its texts mean for that type. The
// collectors (collectors/) work with it. Immutable; thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/columns/column_view.h"
#include "engine/store/snapshot.h"
#include "pmem/status.h"
#include "query/aggregations/aggregation.h"
#include "query/aggregations/values/histogram_scale.h"
#include "query/deadline.h"
#include "query/language/regexp_automaton.h"
#include "query/planning/query_binding.h"

namespace pmdex {

// Which values of a column become buckets of kTerms.
struct BoundChoice {
  std::vector<std::string> keywords;                 // sorted
  std::vector<uint64_t> keys;                        // sorted; of other types
  std::shared_ptr<const RegexpAutomaton> automaton;  // nullptr: none

  bool HasKeyword(std::string_view keyword) const;
  bool HasKey(uint64_t key) const;
};

// The keys of the values in a range are [low, high]; none if low > high.
struct BoundBucketRange {
  uint64_t low = 1;
  uint64_t high = 0;
  std::optional<DocValue> from;
  std::optional<DocValue> to;
};

struct BoundAggregation {
  const Aggregation* request = nullptr;
  bool has_field = true;  // false: no document has a value
  FieldType type = FieldType::kI64;
  std::optional<ColumnView> only_column;  // of the field, where one segment alone has values of it
  std::optional<HistogramScale> scale;
  std::vector<BoundBucketRange> ranges;
  std::vector<QueryBinding> filters;
  std::optional<BoundChoice> include;
  std::optional<BoundChoice> exclude;
  std::optional<uint64_t> missing_key;  // with `missing`, of any type but keywords
  std::vector<BoundAggregation> below;
  // Collectors count in arrays of at most so many elements, and beyond that in tables. Tests lower
  // it.
  uint64_t most_array_elements = uint64_t{1} << 20;
};

// kInvalidArgument if the index does not have a field, or its type cannot be counted so, or a value
// is none of the type. Requires intervals of all histograms (automatic_intervals.h). The request
// and the snapshot must outlive the result.
absl::StatusOr<BoundAggregation> BindAggregation(const Aggregation& request,
                                                 const Snapshot& snapshot,
                                                 const Deadline& deadline);

}  // namespace pmdex
