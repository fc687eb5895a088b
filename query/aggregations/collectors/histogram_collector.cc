#include "query/aggregations/collectors/histogram_collector.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "engine/columns/column_key.h"
#include "query/aggregations/values/key_number.h"

namespace pmdex {

std::unique_ptr<BucketMapper> HistogramCollector::NewMapper(const ColumnView& column) {
  return NewHistogramMapper(column, scale_);
}

// The bucket of a number in the middle of the interval: the starts of integers and of f64 may
// differ by what is rounded.
uint64_t HistogramCollector::KeyFrom(const BucketCollector& other, uint64_t key) {
  const auto& same = static_cast<const HistogramCollector&>(other);
  if (same.key_type() == key_type()) return key;
  const DocValue start = same.scale_.StartOf(key);
  return scale_.BucketOfBound(DoubleOfKey(start.type, KeyOfBits(start.type, start.bits)) +
                              request().interval / 2);
}

absl::Status HistogramCollector::TooMany(const BucketLimits& limits) const {
  return InvalidArgument("the histogram of " + request().field + " would have more than " +
                         std::to_string(limits.most_of_histogram) +
                         " buckets (hint: a longer interval)");
}

absl::StatusOr<AggregationResult> HistogramCollector::Result(uint32_t parent,
                                                             BucketLimits& limits) const {
  AggregationResult result = EmptyResult();
  const HistogramScale& scale = scale_;
  std::vector<std::pair<uint64_t, uint32_t>> found;  // keys and buckets
  for (const uint32_t bucket : table().BucketsBelow(parent)) {
    found.emplace_back(table().key(bucket), bucket);
  }
  std::sort(found.begin(), found.end());
  const bool fills = request().min_doc_count == 0;
  std::vector<std::pair<uint64_t, uint32_t>> shown;
  const auto add = [&](uint64_t key, uint32_t bucket) {
    shown.emplace_back(key, bucket);
    return shown.size() <= limits.most_of_histogram;
  };
  uint64_t next = found.empty() ? 0 : found[0].first;  // the next bucket to fill in
  uint64_t last = found.empty() ? 0 : found.back().first;
  bool has_any = !found.empty();
  if (fills && request().extended_bounds.has_value()) {
    const HistogramBounds& bounds = *request().extended_bounds;
    const bool is_date = scale.type() == FieldType::kDate;
    const uint64_t least =
        is_date ? scale.BucketOf(KeyOfI64(bounds.first)) : scale.BucketOfBound(bounds.min);
    const uint64_t greatest =
        is_date ? scale.BucketOf(KeyOfI64(bounds.last)) : scale.BucketOfBound(bounds.max);
    const bool bounds_both = bounds.bounds_begin && bounds.bounds_end;
    if (!has_any && bounds_both) {
      next = least;
      last = greatest;
      has_any = least <= greatest;
    } else if (has_any) {
      if (bounds.bounds_begin) next = std::min(next, least);
      if (bounds.bounds_end) last = std::max(last, greatest);
    }
  }
  size_t at = 0;
  while (fills && has_any && next <= last) {
    const bool is_found = at < found.size() && found[at].first <= next;
    const uint64_t key = is_found ? found[at].first : next;
    if (!add(key, is_found ? found[at].second : BucketTable::kNone)) return TooMany(limits);
    if (is_found) ++at;
    const uint64_t behind = scale.Next(std::max(key, next));
    if (behind > next) {
      next = behind;
    } else if (at < found.size()) {
      next = found[at].first;  // empty buckets in between have no numbers
    } else {
      break;  // the greatest date, or the last bucket of numbers that far apart
    }
  }
  for (size_t i = 0; !fills && i < found.size(); ++i) {
    if (table().count(found[i].second) < request().min_doc_count) continue;
    if (!add(found[i].first, found[i].second)) return TooMany(limits);
  }
  for (const auto& [key, bucket] : shown) {
    PMDEX_ASSIGN_OR_RETURN(result.buckets.emplace_back(),
                           MakeBucket(scale.StartOf(key), bucket, limits));
  }
  return result;
}

}  // namespace pmdex
