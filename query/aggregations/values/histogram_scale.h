// The buckets of a histogram: which bucket a value is in, and where buckets begin. Bucket keys are
// numbers in the order of the buckets. They depend on the request and on the type of the field
// alone, so that all segments and indexes have the same ones.
//
// Immutable; thread-safe.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/columns/field_type.h"
#include "pmem/status.h"
#include "query/aggregations/aggregation.h"
#include "query/result/doc_value.h"

namespace pmdex {

class HistogramScale {
 public:
  static constexpr uint64_t kNoBucket = UINT64_MAX;

  // How a bucket is found. kInteger: the interval and the offset are integers; exact. kReal:
  // floor((value - offset) / interval) in doubles; infinities and NaN are in no bucket. kCalendar:
  // months, years, and the intervals of a zone whose offset changes.
  enum class Kind { kInteger, kReal, kCalendar };

  // aggregation: a kHistogram or kDateHistogram with an interval. kInvalidArgument if the interval
  // is not above 0, or the type is no number, or no date for a kDateHistogram.
  static absl::StatusOr<HistogramScale> Create(const Aggregation& aggregation, FieldType type);

  Kind kind() const { return kind_; }
  FieldType type() const { return type_; }

  // The bucket of a value; kNoBucket if it is in none. value_key: column_key.h.
  uint64_t BucketOf(uint64_t value_key) const;
  // The value that begins the bucket: an i64 or u64 if it is an integer of 64 bits, else an f64; a
  // date for dates.
  DocValue StartOf(uint64_t bucket) const;
  // The bucket behind this one, or this one itself if its type holds no greater number: from 2^53
  // on, the numbers of kReal are further apart than 1.
  uint64_t Next(uint64_t bucket) const;
  // The bucket of a number that need not be a value of the type. Requires a type other than kDate.
  uint64_t BucketOfBound(double bound) const;

  // Of kInteger: bucket `b` begins at value (b - bias) * interval + offset.
  struct Integers {
    uint64_t interval = 1;
    int64_t offset = 0;  // at least 0, and less than the interval
    uint64_t bias = 0;
  };
  const Integers& integers() const { return integers_; }
  // Of kCalendar.
  const DateInterval& dates() const { return dates_; }

 private:
  HistogramScale(Kind kind, FieldType type) : kind_(kind), type_(type) {}
  static absl::StatusOr<HistogramScale> OfDates(const Aggregation& aggregation);
  uint64_t RealBucketOf(double value) const;
  static HistogramScale OfIntegers(FieldType type, uint64_t interval, int64_t offset);

  Kind kind_;
  FieldType type_;
  Integers integers_;
  double interval_ = 1;  // kReal
  double offset_ = 0;
  DateInterval dates_;
};

// A value of a column that is no keyword.
DocValue ValueOfKey(FieldType type, uint64_t key);

}  // namespace pmdex
