// How the keys of a column of one segment become buckets, many at a time. A slot is a number of the
// segment that stands for a bucket: small numbers where possible, so that a plain array finds the
// bucket of a slot. A bucket key is the same in all segments.
//
// One thread uses a mapper; the segment must outlive it.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"

#include "engine/columns/column_view.h"
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

// Different keywords with numbers from 0 on, copied from segments. For one thread.
class KeywordPool {
 public:
  uint64_t NumberOf(std::string_view keyword);
  std::string_view keyword(uint64_t number) const { return keywords_[number]; }
  size_t size() const { return keywords_.size(); }

 private:
  absl::flat_hash_map<std::string_view, uint64_t> numbers_;
  std::deque<std::string> keywords_;
};

// A bucket for each value; of keywords the bucket key is the number in the pool.
std::unique_ptr<BucketMapper> NewTermsMapper(const ColumnView& column, KeywordPool& pool);
// A bucket for each millisecond of a column of dates.
std::unique_ptr<BucketMapper> NewMillisecondMapper();
// The key of the start of the millisecond of a date, or of the least date if that is later.
uint64_t MillisecondKey(uint64_t key);
// The scale must outlive the mapper.
std::unique_ptr<BucketMapper> NewHistogramMapper(const ColumnView& column,
                                                 const HistogramScale& scale);

}  // namespace pmdex
