// A bucket for each value of a field (AggregationKind::kTerms).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"

#include "query/aggregations/collectors/value_bucket_collector.h"

namespace pmdex {

class TermsCollector final : public ValueBucketCollector {
 public:
  TermsCollector(const BoundAggregation& bound, Collectors below)
      : ValueBucketCollector(bound, std::move(below)),
        pool_(bound.type == FieldType::kKeyword ? bound.only_column : std::nullopt) {}

  absl::Status OpenSegment(const SegmentContext& segment) override;
  void Merge(const Collector& other, std::span<const uint32_t> parents) override;
  absl::StatusOr<AggregationResult> Result(uint32_t parent, BucketLimits& limits) const override;

 private:
  struct Candidate {
    uint64_t key = 0;
    uint32_t bucket = BucketTable::kNone;
    uint64_t count = 0;
    std::vector<double> metrics;  // indexed like the request's order
  };

  std::unique_ptr<BucketMapper> NewMapper(const ColumnView& column) override;
  absl::StatusOr<bool> Accepts(uint64_t slot, BucketMapper& mapper) override;
  bool accepts_all() const override;
  std::optional<uint64_t> MissingKey() override;
  uint64_t KeyFrom(const BucketCollector& other, uint64_t key) override;

  // An index without the field counts what is missing as a keyword. Where it is merged with an
  // index whose field has another type, it is a value of that type.
  uint64_t MissingKeyOfOtherType() const { return bound().missing_key.value_or(0); }

  bool AcceptsKey(uint64_t key) const;
  absl::Status KeepKeys(const ColumnView& column, const SegmentContext& segment);
  absl::StatusOr<std::vector<Candidate>> CandidatesBelow(uint32_t parent,
                                                         const Deadline& deadline) const;
  int CompareKeys(uint64_t a, uint64_t b) const;
  bool ComesBefore(const Candidate& a, const Candidate& b) const;

  KeywordPool pool_;
  // With min_doc_count 0: of all live documents.
  absl::flat_hash_set<uint64_t> live_keys_;
};

}  // namespace pmdex
