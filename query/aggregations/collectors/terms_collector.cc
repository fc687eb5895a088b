#include "query/aggregations/collectors/terms_collector.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "query/aggregations/values/key_number.h"
#include "query/kernel/window_bits.h"

namespace pmdex {

absl::Status TermsCollector::OpenSegment(const SegmentContext& segment) {
  PMDEX_RETURN_IF_ERROR(ValueBucketCollector::OpenSegment(segment));
  const ColumnView* const column = FindColumn(segment.segment);
  if (request().min_doc_count != 0 || column == nullptr) return absl::OkStatus();
  return KeepKeys(*column, segment);
}

// The keys of all live documents. Others may be keys of documents that the asking user must not
// know of.
absl::Status TermsCollector::KeepKeys(const ColumnView& column, const SegmentContext& segment) {
  const std::unique_ptr<BucketMapper> mapper = NewMapper(column);
  const auto keep = [&](std::span<const uint64_t> slots) -> absl::Status {
    for (const uint64_t slot : slots) {
      if (mapper->drops_values() && slot == BucketMapper::kNoSlot) continue;
      PMDEX_ASSIGN_OR_RETURN(const uint64_t key, mapper->BucketKey(slot));
      if (AcceptsKey(key)) live_keys_.insert(key);
    }
    return absl::OkStatus();
  };
  const LiveDocs* const live_docs = segment.cursor.live_docs;
  if (live_docs == nullptr && column.type() == FieldType::kKeyword) {
    std::vector<uint64_t> slots(column.keyword_count());
    std::iota(slots.begin(), slots.end(), 0);
    return keep(slots);
  }
  ColumnReader reader(column);
  BatchValues values;
  std::vector<uint16_t> docs;
  const uint32_t doc_count = segment.segment.doc_count();
  for (uint32_t window = 0; window < WindowCount(doc_count); ++window) {
    const uint32_t first = window * kWindowDocs;
    docs.clear();
    for (uint32_t i = 0; i < std::min(kWindowDocs, doc_count - first); ++i) {
      if (IsLive(live_docs, first + i)) docs.push_back(static_cast<uint16_t>(i));
    }
    PMDEX_RETURN_IF_ERROR(reader.Load(window));
    reader.Read(docs, values);
    mapper->Map(values.keys);
    PMDEX_RETURN_IF_ERROR(keep(values.keys));
  }
  return absl::OkStatus();
}

std::unique_ptr<BucketMapper> TermsCollector::NewMapper(const ColumnView& column) {
  const bool by_millisecond = request().dates_by_millisecond && column.type() == FieldType::kDate;
  return by_millisecond ? NewMillisecondMapper() : NewTermsMapper(column, pool_);
}

bool TermsCollector::accepts_all() const {
  return !bound().include.has_value() && !bound().exclude.has_value();
}

bool TermsCollector::AcceptsKey(uint64_t key) const {
  const auto has = [&](const BoundChoice& choice) {
    return bound().type == FieldType::kKeyword ? choice.HasKeyword(pool_.keyword(key))
                                               : choice.HasKey(key);
  };
  return (!bound().include.has_value() || has(*bound().include)) &&
         (!bound().exclude.has_value() || !has(*bound().exclude));
}

absl::StatusOr<bool> TermsCollector::Accepts(uint64_t slot, BucketMapper& mapper) {
  PMDEX_ASSIGN_OR_RETURN(const uint64_t key, mapper.BucketKey(slot));
  return AcceptsKey(key);
}

std::optional<uint64_t> TermsCollector::MissingKey() {
  if (!request().missing.has_value()) return std::nullopt;
  if (bound().type == FieldType::kKeyword) return pool_.NumberOf(*request().missing);
  return bound().missing_key;
}

uint64_t TermsCollector::KeyFrom(const BucketCollector& other, uint64_t key) {
  const auto& same = static_cast<const TermsCollector&>(other);
  if (key_type() == FieldType::kKeyword) {
    const bool has_same_column = &same.bound() == &bound();
    if (has_same_column && same.pool_.IsOrdinal(key)) return key;
    return pool_.NumberOf(same.pool_.keyword(key));
  }
  if (same.key_type() == key_type()) return key;
  return same.key_type() == FieldType::kKeyword ? MissingKeyOfOtherType()
                                                : WidenedKey(same.key_type(), key);
}

void TermsCollector::Merge(const Collector& other, std::span<const uint32_t> parents) {
  BucketCollector::Merge(other, parents);
  const auto& same = static_cast<const TermsCollector&>(other);
  for (const uint64_t key : same.live_keys_) live_keys_.insert(KeyFrom(same, key));
}

int TermsCollector::CompareKeys(uint64_t a, uint64_t b) const {
  if (bound().type == FieldType::kKeyword) return pool_.Compare(a, b);
  return a == b ? 0 : a < b ? -1 : 1;
}

bool TermsCollector::ComesBefore(const Candidate& a, const Candidate& b) const {
  const auto compare = [](auto x, auto y) { return x < y ? -1 : x > y ? 1 : 0; };
  const std::vector<TermsOrder>& orders = request().order;
  for (size_t i = 0; i < orders.size(); ++i) {
    int order = 0;
    if (orders[i].by == TermsOrder::By::kCount) order = compare(a.count, b.count);
    if (orders[i].by == TermsOrder::By::kKey) order = CompareKeys(a.key, b.key);
    if (orders[i].by == TermsOrder::By::kMetric) {
      // Buckets without the number come last either way.
      const bool a_lacks = std::isnan(a.metrics[i]);
      const bool b_lacks = std::isnan(b.metrics[i]);
      if (a_lacks != b_lacks) return b_lacks;
      if (!a_lacks) order = compare(a.metrics[i], b.metrics[i]);
    }
    if (order != 0) return orders[i].descending ? order > 0 : order < 0;
  }
  if (orders.empty() && a.count != b.count) return a.count > b.count;
  return CompareKeys(a.key, b.key) < 0;
}

// A number below a candidate may cost as much as sorting the values of a sketch.
absl::StatusOr<std::vector<TermsCollector::Candidate>> TermsCollector::CandidatesBelow(
    uint32_t parent, const Deadline& deadline) const {
  std::vector<Candidate> candidates;
  absl::flat_hash_set<uint64_t> seen;
  for (const uint32_t bucket : table().BucketsBelow(parent)) {
    const uint64_t key = table().key(bucket);
    if (request().min_doc_count == 0) seen.insert(key);
    if (table().count(bucket) < request().min_doc_count) continue;
    candidates.push_back({key, bucket, table().count(bucket), {}});
  }
  for (const uint64_t key : live_keys_) {
    if (!seen.contains(key)) candidates.push_back({key, BucketTable::kNone, 0, {}});
  }
  for (Candidate& candidate : candidates) {
    if (!request().order.empty() && IsPast(deadline)) {
      return absl::DeadlineExceededError("the deadline came while buckets were ordered");
    }
    for (const TermsOrder& order : request().order) {
      double& metric = candidate.metrics.emplace_back(0);
      if (order.by != TermsOrder::By::kMetric) continue;
      const std::span<const size_t> path = order.path;
      metric = below()[path[0]]->MetricBelow(candidate.bucket, path.subspan(1), order.metric);
    }
  }
  return candidates;
}

absl::StatusOr<AggregationResult> TermsCollector::Result(uint32_t parent,
                                                         BucketLimits& limits) const {
  AggregationResult result = EmptyResult();
  PMDEX_ASSIGN_OR_RETURN(std::vector<Candidate> candidates,
                         CandidatesBelow(parent, limits.deadline));
  const size_t shown = std::min(request().size, candidates.size());
  std::partial_sort(candidates.begin(), candidates.begin() + static_cast<ptrdiff_t>(shown),
                    candidates.end(),
                    [this](const Candidate& a, const Candidate& b) { return ComesBefore(a, b); });
  for (size_t i = 0; i < candidates.size(); ++i) {
    const Candidate& candidate = candidates[i];
    if (i >= shown) {
      result.other_count += candidate.count;
      continue;
    }
    DocValue key;
    if (bound().type == FieldType::kKeyword) {
      key.type = FieldType::kKeyword;
      key.keyword = pool_.keyword(candidate.key);
    } else {
      key = ValueOfKey(bound().type, candidate.key);
    }
    PMDEX_ASSIGN_OR_RETURN(result.buckets.emplace_back(),
                           MakeBucket(std::move(key), candidate.bucket, limits));
  }
  return result;
}

}  // namespace pmdex
