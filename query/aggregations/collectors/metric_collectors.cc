#include "query/aggregations/collectors/metric_collectors.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <span>

#include "engine/columns/date_text.h"
#include "pmem/checksum.h"
#include "query/aggregations/values/key_number.h"

namespace pmdex {
namespace {

DocValue RealValue(double value) {
  DocValue made;
  made.type = FieldType::kF64;
  made.bits = std::bit_cast<uint64_t>(value);
  return made;
}

DocValue MissingValue() {
  DocValue value;
  value.missing = true;
  return value;
}

// The element of a bucket; makes those before it, too.
template <typename T>
T& StateOf(std::vector<T>& states, uint32_t bucket) {
  if (states.size() <= bucket) states.resize(size_t{bucket} + 1);
  return states[bucket];
}

// The same hash for equal numbers, whatever their types.
uint64_t HashOfValue(FieldType type, uint64_t key) {
  double real = 0;
  bool is_exact = false;
  uint64_t is_beyond_i64 = 0;
  if (type == FieldType::kI64) {
    real = static_cast<double>(I64OfKey(key));
    is_exact = real < 0x1p63 && static_cast<int64_t>(real) == I64OfKey(key);
  } else if (type == FieldType::kU64) {
    real = static_cast<double>(key);
    is_exact = real < 0x1p64 && static_cast<uint64_t>(real) == key;
    is_beyond_i64 = key >> 63;
    key ^= kKeySignBit;  // as the key of an i64
  } else {
    return MixHash(ComparableKey(type, key));
  }
  return MixHash(is_exact ? KeyOfF64(real) : MixHash(key) + is_beyond_i64);
}

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

}  // namespace

absl::Status MetricCollector::OpenSegment(const SegmentContext& segment) {
  reader_.reset();
  const ColumnView* const column = FindColumn(segment.segment);
  if (column == nullptr) return absl::OkStatus();
  reader_.emplace(*column);
  OpenColumn(*column);
  return absl::OkStatus();
}

absl::Status MetricCollector::Collect(const DocBatch& batch) {
  if (!reader_.has_value() || batch.docs.empty()) return absl::OkStatus();
  PMDEX_RETURN_IF_ERROR(reader_->Load(batch.window));
  reader_->Read(batch.docs, values_);
  return Add(batch, values_);
}

absl::Status MetricCollector::CloseSegment() {
  reader_.reset();
  return absl::OkStatus();
}

void StatsCollector::State::AddReal(double value) {
  const double added = sum + value;
  // What an infinity has lost would be NaN.
  if (std::isfinite(added)) {
    lost += std::abs(sum) >= std::abs(value) ? (sum - added) + value : (value - added) + sum;
  }
  sum = added;
}

void StatsCollector::State::Add(FieldType type, uint64_t key) {
  ++count;
  least = std::min(least, key);
  greatest = std::max(greatest, key);
  if (type == FieldType::kF64) {
    AddReal(F64OfKey(key));
  } else {
    integers += WideOfKey(type, key);
  }
}

void StatsCollector::State::Merge(const State& other) {
  count += other.count;
  least = std::min(least, other.least);
  greatest = std::max(greatest, other.greatest);
  integers += other.integers;
  lost += other.lost;
  AddReal(other.sum);
}

void StatsCollector::State::Widen(FieldType type) {
  if (count == 0) return;
  least = WidenedKey(type, least);
  greatest = WidenedKey(type, greatest);
}

// Keywords are counted, no more: a document that holds the same one twice counts it once, as facets
// do.
void StatsCollector::AddKeywords(const DocBatch& batch, const BatchValues& values) {
  std::vector<uint64_t> of_doc;
  for (size_t i = 0; i < values.keys.size();) {
    const size_t position = values.PositionOf(i);
    of_doc.clear();
    for (; i < values.keys.size() && values.PositionOf(i) == position; ++i) {
      of_doc.push_back(values.keys[i]);
    }
    std::sort(of_doc.begin(), of_doc.end());
    const auto end = std::unique(of_doc.begin(), of_doc.end());
    State& state = StateOf(states_, batch.buckets.empty() ? 0 : batch.buckets[position]);
    state.count += static_cast<uint64_t>(end - of_doc.begin());
  }
}

absl::Status StatsCollector::Add(const DocBatch& batch, const BatchValues& values) {
  const FieldType type = bound().type;
  if (type == FieldType::kKeyword) {
    AddKeywords(batch, values);
    return absl::OkStatus();
  }
  const bool drops_some = request().finite_alone && type == FieldType::kF64;
  if (batch.buckets.empty()) {
    State state = StateOf(states_, 0);
    for (const uint64_t key : values.keys) {
      if (!drops_some || std::isfinite(F64OfKey(key))) state.Add(type, key);
    }
    states_[0] = state;
    return absl::OkStatus();
  }
  for (size_t i = 0; i < values.keys.size(); ++i) {
    if (drops_some && !std::isfinite(F64OfKey(values.keys[i]))) continue;
    StateOf(states_, batch.buckets[values.PositionOf(i)]).Add(type, values.keys[i]);
  }
  return absl::OkStatus();
}

void StatsCollector::Merge(const Collector& other, std::span<const uint32_t> parents) {
  const auto& same = static_cast<const StatsCollector&>(other);
  for (size_t i = 0; i < same.states_.size(); ++i) {
    State added = same.states_[i];
    if (same.key_type() != key_type()) added.Widen(same.key_type());
    StateOf(states_, parents[i]).Merge(added);
  }
}

double StatsCollector::SumOf(const State& state) const {
  const auto integers = static_cast<double>(state.integers);
  return bound().type == FieldType::kF64 ? state.sum + state.lost + integers : integers;
}

absl::StatusOr<AggregationResult> StatsCollector::Result(uint32_t parent,
                                                         BucketLimits& /*limits*/) const {
  AggregationResult result = EmptyResult();
  const FieldType type = bound().type;
  const State state = parent < states_.size() ? states_[parent] : State();
  StatsResult& stats = result.stats;
  stats.count = state.count;
  stats.min = stats.max = stats.avg = MissingValue();
  if (state.count != 0) {
    stats.min = ValueOfKey(type, state.least);
    stats.max = ValueOfKey(type, state.greatest);
    const auto mean = static_cast<long double>(state.integers) / state.count;
    stats.avg = type == FieldType::kF64 ? RealValue(SumOf(state) / static_cast<double>(state.count))
                                        : RealValue(static_cast<double>(mean));
    if (type == FieldType::kDate) {
      stats.avg = ValueOfKey(type, KeyOfI64(static_cast<int64_t>(std::llroundl(mean))));
    }
  }
  stats.sum = RealValue(SumOf(state));
  if (type == FieldType::kDate) {
    stats.sum = RealValue(SumOf(state) / static_cast<double>(kNanosecondsPerMillisecond));
  } else if (type != FieldType::kF64 && state.integers >= std::numeric_limits<int64_t>::min() &&
             state.integers <= std::numeric_limits<int64_t>::max()) {
    stats.sum = ValueOfKey(FieldType::kI64, KeyOfI64(static_cast<int64_t>(state.integers)));
  } else if (type != FieldType::kF64 && state.integers > 0 &&
             state.integers <= Wide{std::numeric_limits<uint64_t>::max()}) {
    stats.sum = ValueOfKey(FieldType::kU64, static_cast<uint64_t>(state.integers));
  }
  return result;
}

double StatsCollector::Metric(uint32_t parent, const MetricName& name) const {
  const FieldType type = bound().type;
  const State state = parent < states_.size() ? states_[parent] : State();
  switch (name.part) {
    case MetricName::Part::kCount:
      return static_cast<double>(state.count);
    case MetricName::Part::kSum:
      return SumOf(state);
    case MetricName::Part::kMin:
      return state.count == 0 ? kNoNumber : DoubleOfKey(type, state.least);
    case MetricName::Part::kMax:
      return state.count == 0 ? kNoNumber : DoubleOfKey(type, state.greatest);
    case MetricName::Part::kAvg:
      return state.count == 0 ? kNoNumber : SumOf(state) / static_cast<double>(state.count);
    default:
      return kNoNumber;
  }
}

void CardinalityCollector::OpenColumn(const ColumnView& column) {
  column_ = &column;
  if (bound().type != FieldType::kKeyword) return;
  hashes_.assign(column.keyword_count(), 0);
  is_counted_.assign(column.keyword_count(), false);
}

absl::StatusOr<uint64_t> CardinalityCollector::HashOfKeyword(uint64_t ordinal) {
  if (ordinal >= hashes_.size()) return column_->Damage(0, "a keyword that there is not");
  if (hashes_[ordinal] == 0) {
    PMDEX_ASSIGN_OR_RETURN(const std::string_view keyword, column_->Keyword(ordinal));
    hashes_[ordinal] = Xxh3(std::as_bytes(std::span(keyword)));
  }
  return hashes_[ordinal];
}

absl::Status CardinalityCollector::Add(const DocBatch& batch, const BatchValues& values) {
  const bool is_keyword = bound().type == FieldType::kKeyword;
  for (size_t i = 0; i < values.keys.size(); ++i) {
    const uint64_t key = values.keys[i];
    DistinctCounter& counter = StateOf(counters_, batch.BucketOf(values.PositionOf(i)));
    if (!is_keyword) {
      counter.Add(HashOfValue(bound().type, key));
      continue;
    }
    const bool skips_counted = batch.buckets.empty() && key < is_counted_.size();
    if (skips_counted && is_counted_[key]) continue;
    PMDEX_ASSIGN_OR_RETURN(const uint64_t hash, HashOfKeyword(key));
    counter.Add(hash);
    if (skips_counted) is_counted_[key] = true;
  }
  return absl::OkStatus();
}

void CardinalityCollector::Merge(const Collector& other, std::span<const uint32_t> parents) {
  const auto& same = static_cast<const CardinalityCollector&>(other);
  for (size_t i = 0; i < same.counters_.size(); ++i) {
    StateOf(counters_, parents[i]).Merge(same.counters_[i]);
  }
}

absl::StatusOr<AggregationResult> CardinalityCollector::Result(uint32_t parent,
                                                               BucketLimits& /*limits*/) const {
  AggregationResult result = EmptyResult();
  if (parent >= counters_.size()) return result;
  result.cardinality = counters_[parent].Count();
  result.exact = counters_[parent].is_exact();
  return result;
}

double CardinalityCollector::Metric(uint32_t parent, const MetricName& /*name*/) const {
  return parent < counters_.size() ? static_cast<double>(counters_[parent].Count()) : 0;
}

absl::Status PercentilesCollector::Add(const DocBatch& batch, const BatchValues& values) {
  for (size_t i = 0; i < values.keys.size(); ++i) {
    StateOf(sketches_, batch.BucketOf(values.PositionOf(i))).Add(values.keys[i]);
  }
  return absl::OkStatus();
}

void PercentilesCollector::Merge(const Collector& other, std::span<const uint32_t> parents) {
  const auto& same = static_cast<const PercentilesCollector&>(other);
  for (size_t i = 0; i < same.sketches_.size(); ++i) {
    QuantileSketch& sketch = StateOf(sketches_, parents[i]);
    if (same.key_type() == key_type()) {
      sketch.Merge(same.sketches_[i]);
      continue;
    }
    QuantileSketch widened = same.sketches_[i];
    widened.MapKeys([&same](uint64_t key) { return WidenedKey(same.key_type(), key); });
    sketch.Merge(widened);
  }
}

DocValue PercentilesCollector::Percentile(const std::vector<QuantileSketch::Ranked>& sorted,
                                          uint64_t count, double percent) const {
  if (count == 0) return MissingValue();
  const FieldType type = bound().type;
  const double rank = percent / 100 * static_cast<double>(count - 1);
  const auto low_rank = std::min(static_cast<uint64_t>(rank), count - 1);
  const uint64_t low = QuantileSketch::ValueAt(sorted, low_rank);
  const uint64_t high = QuantileSketch::ValueAt(sorted, std::min(low_rank + 1, count - 1));
  const double part = rank - static_cast<double>(low_rank);
  const double begin = DoubleOfKey(type, low);
  const double end = DoubleOfKey(type, high);
  if (low == high || part <= 0 || !std::isfinite(begin) || !std::isfinite(end)) {
    return ValueOfKey(type, low);
  }
  if (type == FieldType::kDate) {
    const double added = std::round((end - begin) * part);
    return ValueOfKey(type, low + static_cast<uint64_t>(added));
  }
  return RealValue(begin + (end - begin) * part);
}

absl::StatusOr<AggregationResult> PercentilesCollector::Result(uint32_t parent,
                                                               BucketLimits& /*limits*/) const {
  AggregationResult result = EmptyResult();
  const QuantileSketch none;
  const QuantileSketch& sketch = parent < sketches_.size() ? sketches_[parent] : none;
  const std::vector<QuantileSketch::Ranked> sorted = sketch.Sorted();
  result.exact = sketch.is_exact();
  for (const double percent : request().percents) {
    result.percentiles.push_back(Percentile(sorted, sketch.count(), percent));
  }
  return result;
}

double PercentilesCollector::Metric(uint32_t parent, const MetricName& name) const {
  if (parent >= sketches_.size()) return kNoNumber;
  const QuantileSketch& sketch = sketches_[parent];
  const DocValue value = Percentile(sketch.Sorted(), sketch.count(), name.percent);
  if (value.missing) return kNoNumber;
  return value.type == FieldType::kF64
             ? value.f64()
             : static_cast<double>(WideOfKey(value.type, KeyOfBits(value.type, value.bits)));
}

}  // namespace pmdex
