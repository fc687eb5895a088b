// A bucket for each value of a field (AggregationKind::kTerms).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "absl/container/flat_hash_set.h"

#include "query/aggregations/collectors/value_bucket_collector.h"

namespace pmdex {

class TermsCollector final : public ValueBucketCollector {
 public:
  using ValueBucketCollector::ValueBucketCollector;

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

  bool AcceptsKey(uint64_t key) const;
  absl::Status KeepAllKeys(const ColumnView& column);
  std::vector<Candidate> CandidatesBelow(uint32_t parent) const;
  int CompareKeys(uint64_t a, uint64_t b) const;
  bool ComesBefore(const Candidate& a, const Candidate& b) const;

  KeywordPool pool_;
  absl::flat_hash_set<uint64_t> all_keys_;  // with min_doc_count 0, those of all documents
};

}  // namespace pmdex
