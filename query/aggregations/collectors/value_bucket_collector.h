// Puts documents into buckets by the values of a column: what terms and histograms share. A
// subclass says which bucket a value is in. A document is once in a bucket, whatever its values.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "query/aggregations/collectors/bucket_collector.h"
#include "query/aggregations/values/bucket_mapper.h"
#include "query/aggregations/values/column_reader.h"

namespace pmdex {

class ValueBucketCollector : public BucketCollector {
 public:
  using BucketCollector::BucketCollector;

  absl::Status OpenSegment(const SegmentContext& segment) override;
  absl::Status Collect(const DocBatch& batch) override;
  bool PaysToCollectAll() override;
  absl::Status CollectAll() override;
  absl::Status CloseSegment() override;

 protected:
  virtual std::unique_ptr<BucketMapper> NewMapper(const ColumnView& column) = 0;
  // Whether values of the slot become buckets; called once for each slot and segment, or once for
  // each value where the mapper has no slot_count().
  virtual absl::StatusOr<bool> Accepts(uint64_t /*slot*/, BucketMapper& /*mapper*/) { return true; }
  virtual bool accepts_all() const { return true; }
  // The bucket key of documents without a value; nullopt: they are in no bucket.
  virtual std::optional<uint64_t> MissingKey() { return std::nullopt; }

 private:
  absl::Status ReadSlots(const DocBatch& batch);
  absl::Status DropSlots();
  void DropRepeatedSlots();
  bool HasOneSlot(const DocBatch& batch, uint64_t& slot) const;
  // The place of a slot below a parent in counts_ or buckets_; SIZE_MAX if it has none.
  size_t IndexOf(uint32_t parent, uint64_t slot) const;
  absl::StatusOr<uint32_t> BucketOf(uint32_t parent, uint64_t slot);
  // Counts the keys where they lie, if they are slots and nothing but their counts is wanted.
  bool CountInPlace(const DocBatch& batch);
  absl::Status Count(const DocBatch& batch);
  absl::Status Place(const DocBatch& batch);
  absl::Status PlaceMissing(const DocBatch& batch);

  std::optional<ColumnReader> reader_;  // none: the segment has no values
  std::unique_ptr<BucketMapper> mapper_;
  std::vector<uint8_t> accepted_;  // by slot: 1 if it is, empty if all are
  // By parent and slot, of the open segment. Without collectors below: the documents that are not
  // in the table yet. With some: the buckets.
  std::vector<uint64_t> counts_;
  std::vector<uint32_t> buckets_;

  // Of the last batch.
  BatchValues slots_;
  std::vector<uint8_t> has_value_;  // by position; used with MissingKey
  std::vector<uint16_t> placed_docs_;
  std::vector<uint32_t> placed_buckets_;
};

}  // namespace pmdex
