// What to compute of all documents that match a query: a tree of aggregations. An aggregation that
// makes buckets may have others below it, which are computed for each bucket. The flag --facet and
// the aggregations of the Elasticsearch API become such trees; aggregation_set.h computes them.
// Plain values.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "query/aggregations/values/date_interval.h"
#include "query/language/query.h"

namespace pmdex {

enum class AggregationKind {
  kTerms,          // a bucket for each value
  kHistogram,      // a bucket for each interval of numbers
  kDateHistogram,  // the same of dates
  kRange,          // a bucket for each of some ranges
  kFilters,        // a bucket for each of some queries
  kStats,          // count, least, greatest, sum and mean of the values
  kCardinality,    // how many different values there are
  kPercentiles,
};

// A number that an aggregation of values has, to order buckets by it.
struct MetricName {
  enum class Part { kCount, kMin, kMax, kAvg, kSum, kCardinality, kPercentile };
  Part part = Part::kCount;
  double percent = 0;  // of kPercentile
};

struct TermsOrder {
  enum class By { kCount, kKey, kMetric };
  By by = By::kCount;
  bool descending = true;
  // kMetric: the index of an aggregation below, then of one below that, and so on. All but the last
  // one have a single bucket.
  std::vector<size_t> path;
  MetricName metric;  // kMetric
};

// A range of values as text, as queries write them; nullopt: no bound at this end. `from` belongs
// to the range, and `to` does not.
struct RequestedRange {
  std::string name;  // for the answer alone
  std::optional<std::string> from;
  std::optional<std::string> to;
};

struct NamedFilter {
  std::string name;  // for the answer alone
  std::shared_ptr<const Query> query;
};

// Which keywords become buckets: those that are listed or that match the expression.
struct KeywordChoice {
  std::vector<std::string> values;
  std::string regexp;    // of regexp_parser.h; empty: none
  bool is_list = false;  // the values count even where there is none

  bool empty() const { return values.empty() && regexp.empty() && !is_list; }
};

struct HistogramBounds {
  double min = 0;  // of numbers
  double max = 0;
  int64_t first = 0;  // of dates: nanoseconds since 1970 UTC
  int64_t last = 0;
  // An end that is not bounded ends with the documents. Without documents both must be bounded.
  bool bounds_begin = true;
  bool bounds_end = true;
};

struct Aggregation {
  AggregationKind kind = AggregationKind::kTerms;
  std::string name;   // for the answer alone
  std::string field;  // of every kind but kFilters
  std::vector<Aggregation> below;
  // An index without the field has no values of it. Otherwise that is an error.
  bool field_may_be_absent = false;

  // kTerms.
  size_t size = 10;
  std::vector<TermsOrder> order;  // buckets that are equal in all of these ascend by key
  KeywordChoice include;          // empty: all
  KeywordChoice exclude;
  std::optional<std::string> missing;  // documents without a value count as if they had this one
  bool dates_by_millisecond = false;   // dates of one millisecond are in one bucket, at its start

  // kTerms, kHistogram, kDateHistogram: buckets with fewer documents are left out. With 0 a
  // histogram has the empty buckets between the first and the last one, and terms have the values
  // that no match has, but a live document.
  uint64_t min_doc_count = 1;

  // kHistogram: 0 chooses an interval that gives at most kMostAutomaticBuckets buckets.
  double interval = 0;
  double offset = 0;
  // kDateHistogram: nullopt chooses one.
  std::optional<DateInterval> date_interval;
  // Both: buckets at least from `min` to `max`, where min_doc_count is 0.
  std::optional<HistogramBounds> extended_bounds;

  // kStats: values of any type, keywords included. The count alone means something then.
  bool count_alone = false;
  // kStats: the one number that the answer has of them; nullopt: all.
  std::optional<MetricName::Part> shown;
  // kStats: infinities do not count.
  bool finite_alone = false;

  std::vector<RequestedRange> ranges;  // kRange
  std::vector<NamedFilter> filters;    // kFilters
  std::vector<double> percents;        // kPercentiles; 0 to 100
};

inline constexpr uint64_t kMostAutomaticBuckets = 20;
// The most buckets of one histogram of an answer.
inline constexpr uint64_t kMostHistogramBuckets = 10'000;

}  // namespace pmdex
