// How the keys of a column of one segment become buckets, many at a time. A slot is a number of the
// segment that stands for a bucket: small numbers where possible, so that a plain array finds the
// bucket of a slot. A bucket key is the same in all segments.
//
// One thread uses a mapper; the segment must outlive it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "engine/columns/column_view.h"
#include "engine/columns/keyword_table.h"
#include "pmem/status.h"
#include "query/aggregations/values/histogram_scale.h"

namespace pmdex {

class BucketMapper {
 public:
  static constexpr uint64_t kNoSlot = UINT64_MAX;

  virtual ~BucketMapper() = default;
  // All slots are less than this; 0: they may be any numbers.
  uint64_t slot_count() const { return slot_count_; }
  // False: every value has a slot, and kNoSlot is a slot as any other.
  bool drops_values() const { return drops_values_; }
  // True if the slot of each key below slot_count() is the key itself.
  virtual bool keeps_keys() const { return false; }
  // True if a greater key never has a lesser slot.
  virtual bool ascends() const { return false; }
  // Replaces keys of the column by their slots, or by kNoSlot for values that are in no bucket.
  virtual void Map(std::span<uint64_t> keys) = 0;
  // kDataLoss if the keywords are damaged.
  virtual absl::StatusOr<uint64_t> BucketKey(uint64_t slot) = 0;

 protected:
  uint64_t slot_count_ = 0;
  bool drops_values_ = true;
};

// Different keywords with numbers. Those of one column, if there is one, have their ordinals as
// numbers and stay in its segment, which must outlive the pool; others are copied. For one thread.
class KeywordPool {
 public:
  KeywordPool() = default;
  explicit KeywordPool(const std::optional<ColumnView>& column);

  bool has_column() const { return column_.has_value(); }
  // True for the number of a keyword of the column.
  bool IsOrdinal(uint64_t number) const { return number < others_begin_; }
  uint64_t NumberOf(std::string_view keyword);
  // The keyword, until the next call of NumberOf; "" for one of the column that is damaged.
  std::string_view keyword(uint64_t number) const;
  // Below, equal to or above 0, as the keyword of `a` comes before, is or comes behind that of `b`.
  int Compare(uint64_t a, uint64_t b) const;

 private:
  std::optional<ColumnView> column_;
  uint64_t others_begin_ = 0;
  KeywordTable others_;
};

// A bucket for each value; of keywords the bucket key is the number in the pool. If the pool has a
// column, it must be this one.
std::unique_ptr<BucketMapper> NewTermsMapper(const ColumnView& column, KeywordPool& pool);
// A bucket for each millisecond of a column of dates.
std::unique_ptr<BucketMapper> NewMillisecondMapper();
// The key of the start of the millisecond of a date, or of the least date if that is later.
uint64_t MillisecondKey(uint64_t key);
// The scale must outlive the mapper.
std::unique_ptr<BucketMapper> NewHistogramMapper(const ColumnView& column,
                                                 const HistogramScale& scale);

}  // namespace pmdex
