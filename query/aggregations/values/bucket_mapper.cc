#include "query/aggregations/values/bucket_mapper.h"

#include <algorithm>
#include <vector>

#include "engine/columns/column_key.h"
#include "engine/columns/date_text.h"
#include "query/aggregations/values/key_number.h"

namespace pmdex {
namespace {

// An array of slots may have so many elements.
constexpr uint64_t kMostSlots = uint64_t{1} << 20;

class KeywordMapper final : public BucketMapper {
 public:
  KeywordMapper(const ColumnView& column, KeywordPool& pool) : column_(column), pool_(pool) {
    slot_count_ = column.keyword_count();
    if (!pool.has_column()) numbers_.resize(slot_count_, kNoSlot);
  }
  void Map(std::span<uint64_t> keys) override {
    for (uint64_t& key : keys) {
      if (key >= slot_count_) key = kNoSlot;  // in a damaged file
    }
  }
  bool keeps_keys() const override { return true; }
  bool ascends() const override { return true; }
  absl::StatusOr<uint64_t> BucketKey(uint64_t slot) override {
    if (!numbers_.empty() && numbers_[slot] != kNoSlot) return numbers_[slot];
    PMDEX_ASSIGN_OR_RETURN(const std::string_view keyword, column_.Keyword(slot));
    if (numbers_.empty()) return slot;
    return numbers_[slot] = pool_.NumberOf(keyword);
  }

 private:
  ColumnView column_;
  KeywordPool& pool_;
  // Of the keywords in the pool; kNoSlot: not looked up yet. Empty: the ordinals.
  std::vector<uint64_t> numbers_;
};

class NumberMapper final : public BucketMapper {
 public:
  explicit NumberMapper(const ColumnView& column) : type_(column.type()), least_(column.least()) {
    const uint64_t greatest = column.greatest();
    const bool is_real = type_ == FieldType::kF64;
    if (is_real || greatest - least_ >= kMostSlots) {
      least_ = 0;
      drops_values_ = false;
    } else {
      slot_count_ = greatest - least_ + 1;
    }
  }
  bool ascends() const override { return type_ != FieldType::kF64; }
  void Map(std::span<uint64_t> keys) override {
    if (type_ == FieldType::kF64) {
      for (uint64_t& key : keys) key = ComparableKey(type_, key);
      return;
    }
    for (uint64_t& key : keys) {
      key -= least_;
      if (drops_values_ && key >= slot_count_) key = kNoSlot;  // in a damaged file
    }
  }
  absl::StatusOr<uint64_t> BucketKey(uint64_t slot) override { return slot + least_; }

 private:
  const FieldType type_;
  uint64_t least_;
};

class MillisecondMapper final : public BucketMapper {
 public:
  MillisecondMapper() { drops_values_ = false; }
  void Map(std::span<uint64_t> keys) override {
    for (uint64_t& key : keys) key = MillisecondKey(key);
  }
  absl::StatusOr<uint64_t> BucketKey(uint64_t slot) override { return slot; }
};

// Divides by the same number often: by multiplication, and a correction by one.
class Divisor {
 public:
  explicit Divisor(uint64_t divisor) : divisor_(divisor), reciprocal_(UINT64_MAX / divisor) {}
  uint64_t Divide(uint64_t number) const {
    const auto quotient =
        static_cast<uint64_t>((static_cast<unsigned __int128>(number) * reciprocal_) >> 64);
    return quotient + (number - quotient * divisor_ >= divisor_ ? 1 : 0);
  }

 private:
  uint64_t divisor_;
  uint64_t reciprocal_;
};

// Of HistogramScale::Kind::kInteger, where the values of the segment span less than 2^64.
class IntegerMapper final : public BucketMapper {
 public:
  // span: the greatest key less the start of the first bucket.
  IntegerMapper(const ColumnView& column, const HistogramScale& scale, uint64_t first_bucket,
                uint64_t past_start, uint64_t span)
      : divisor_(scale.integers().interval),
        first_bucket_(first_bucket),
        start_(column.least() - past_start),
        span_(span) {
    const uint64_t last = span / scale.integers().interval;
    is_dense_ = last < kMostSlots;
    drops_values_ = is_dense_;
    if (is_dense_) slot_count_ = last + 1;
  }
  bool ascends() const override { return true; }
  void Map(std::span<uint64_t> keys) override {
    const uint64_t added = is_dense_ ? 0 : first_bucket_;
    for (uint64_t& key : keys) {
      const uint64_t past = key - start_;
      // Beyond the span in a damaged file.
      key = past <= span_ || !is_dense_ ? divisor_.Divide(past) + added : kNoSlot;
    }
  }
  absl::StatusOr<uint64_t> BucketKey(uint64_t slot) override {
    return is_dense_ ? first_bucket_ + slot : slot;
  }

 private:
  const Divisor divisor_;
  const uint64_t first_bucket_;
  const uint64_t start_;  // of the first bucket, as a key modulo 2^64
  const uint64_t span_;
  bool is_dense_;
};

// The starts of the intervals that cover the values of a segment.
class CalendarMapper final : public BucketMapper {
 public:
  CalendarMapper(std::vector<int64_t> starts, int64_t end) : starts_(std::move(starts)), end_(end) {
    slot_count_ = starts_.size();
    const double length = static_cast<double>(end_) - static_cast<double>(starts_[0]);
    per_nanosecond_ = static_cast<double>(starts_.size()) / length;
  }
  bool ascends() const override { return true; }
  void Map(std::span<uint64_t> keys) override {
    for (uint64_t& key : keys) key = SlotOf(I64OfKey(key));
  }
  absl::StatusOr<uint64_t> BucketKey(uint64_t slot) override { return KeyOfI64(starts_[slot]); }

 private:
  // Intervals differ little in length, so a guess is at most a few slots off.
  uint64_t SlotOf(int64_t date) const {
    if (date < starts_[0] || date >= end_) return kNoSlot;  // in a damaged file
    const double past = static_cast<double>(date) - static_cast<double>(starts_[0]);
    auto slot = std::min(static_cast<size_t>(past * per_nanosecond_), starts_.size() - 1);
    while (slot > 0 && date < starts_[slot]) --slot;
    while (slot + 1 < starts_.size() && date >= starts_[slot + 1]) ++slot;
    return slot;
  }

  std::vector<int64_t> starts_;
  int64_t end_;
  double per_nanosecond_;
};

bool HasUnits(const HistogramScale& scale) {
  return scale.kind() == HistogramScale::Kind::kCalendar &&
         scale.dates().unit != CalendarUnit::kNone;
}

// Value by value. Neighbours are often in the same unit of the calendar. Fixed lengths in a zone
// that changes its offset are no runs of time: what the zone shows goes back once a year.
class AnyMapper final : public BucketMapper {
 public:
  explicit AnyMapper(const HistogramScale& scale) : scale_(scale) {
    drops_values_ = scale.kind() == HistogramScale::Kind::kReal;
  }
  void Map(std::span<uint64_t> keys) override {
    const bool is_calendar = HasUnits(scale_);
    for (uint64_t& key : keys) {
      if (is_calendar && first_ <= key && key < end_) {
        key = bucket_;
        continue;
      }
      const uint64_t bucket = scale_.BucketOf(key);
      if (is_calendar) {
        bucket_ = first_ = bucket;
        end_ = scale_.Next(bucket);
      }
      key = bucket;
    }
  }
  absl::StatusOr<uint64_t> BucketKey(uint64_t slot) override { return slot; }

 private:
  static_assert(HistogramScale::kNoBucket == kNoSlot);
  const HistogramScale& scale_;
  uint64_t bucket_ = 0;
  uint64_t first_ = 1;  // keys in [first_, end_) are in bucket_
  uint64_t end_ = 0;
};

std::unique_ptr<BucketMapper> NewIntegerMapper(const ColumnView& column,
                                               const HistogramScale& scale) {
  const uint64_t first_bucket = scale.BucketOf(column.least());
  const auto& [interval, offset, bias] = scale.integers();
  const Wide start = (Wide{first_bucket} - Wide{bias}) * Wide{interval} + offset;
  const Wide least =
      scale.type() == FieldType::kU64 ? Wide{column.least()} : Wide{I64OfKey(column.least())};
  const auto past_start = static_cast<uint64_t>(least - start);
  const Wide span = Wide{column.greatest() - column.least()} + past_start;
  if (span > Wide{UINT64_MAX} || column.greatest() < column.least()) {
    return std::make_unique<AnyMapper>(scale);
  }
  return std::make_unique<IntegerMapper>(column, scale, first_bucket, past_start,
                                         static_cast<uint64_t>(span));
}

std::unique_ptr<BucketMapper> NewCalendarMapper(const ColumnView& column,
                                                const HistogramScale& scale) {
  constexpr size_t kMostStarts = size_t{1} << 16;
  // To find the starts must cost less than to find those of the values one by one.
  const size_t most = std::min<size_t>(kMostStarts, column.doc_count());
  const int64_t last = I64OfKey(column.greatest());
  std::vector<int64_t> starts = {StartOfInterval(scale.dates(), I64OfKey(column.least()))};
  while (starts.size() <= most) {
    const int64_t next = NextInterval(scale.dates(), starts.back());
    if (next <= starts.back()) break;
    if (next > last) return std::make_unique<CalendarMapper>(std::move(starts), next);
    starts.push_back(next);
  }
  return std::make_unique<AnyMapper>(scale);
}

}  // namespace

KeywordPool::KeywordPool(const std::optional<ColumnView>& column)
    : column_(column), others_begin_(column.has_value() ? column->keyword_count() : 0) {}

uint64_t KeywordPool::NumberOf(std::string_view keyword) {
  if (column_.has_value()) {
    const uint64_t ordinal = column_->FirstKeywordFrom(keyword).value_or(others_begin_);
    if (IsOrdinal(ordinal) && this->keyword(ordinal) == keyword) return ordinal;
  }
  return others_begin_ + others_.NumberOf(keyword);
}

std::string_view KeywordPool::keyword(uint64_t number) const {
  if (IsOrdinal(number)) return column_->Keyword(number).value_or(std::string_view());
  return others_.keyword(static_cast<uint32_t>(number - others_begin_));
}

int KeywordPool::Compare(uint64_t a, uint64_t b) const {
  if (IsOrdinal(a) && IsOrdinal(b)) return a == b ? 0 : a < b ? -1 : 1;
  return keyword(a).compare(keyword(b));
}

std::unique_ptr<BucketMapper> NewTermsMapper(const ColumnView& column, KeywordPool& pool) {
  if (column.type() == FieldType::kKeyword) return std::make_unique<KeywordMapper>(column, pool);
  return std::make_unique<NumberMapper>(column);
}

std::unique_ptr<BucketMapper> NewMillisecondMapper() {
  return std::make_unique<MillisecondMapper>();
}

uint64_t MillisecondKey(uint64_t key) {
  const int64_t date = I64OfKey(key);
  const int64_t past = date % kNanosecondsPerMillisecond;
  const Wide start = Wide{date} - past - (past < 0 ? kNanosecondsPerMillisecond : 0);
  return KeyOfI64(static_cast<int64_t>(std::max(start, Wide{INT64_MIN})));
}

std::unique_ptr<BucketMapper> NewHistogramMapper(const ColumnView& column,
                                                 const HistogramScale& scale) {
  switch (scale.kind()) {
    case HistogramScale::Kind::kInteger:
      return NewIntegerMapper(column, scale);
    case HistogramScale::Kind::kCalendar:
      if (HasUnits(scale)) return NewCalendarMapper(column, scale);
      return std::make_unique<AnyMapper>(scale);
    default:
      return std::make_unique<AnyMapper>(scale);
  }
}

}  // namespace pmdex
