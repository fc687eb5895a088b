#include "query/aggregations/collectors/value_bucket_collector.h"

#include <algorithm>
#include <array>

#include "query/aggregations/values/order_count.h"

namespace pmdex {

absl::Status ValueBucketCollector::OpenSegment(const SegmentContext& segment) {
  PMDEX_RETURN_IF_ERROR(BucketCollector::OpenSegment(segment));
  reader_.reset();
  mapper_.reset();
  accepted_.clear();
  counts_.clear();
  buckets_.clear();
  const ColumnView* const column = FindColumn(segment.segment);
  if (column == nullptr) return absl::OkStatus();
  reader_.emplace(*column);
  mapper_ = NewMapper(*column);
  if (accepts_all() || mapper_->slot_count() == 0) return absl::OkStatus();
  accepted_.resize(mapper_->slot_count());
  for (size_t slot = 0; slot < accepted_.size(); ++slot) {
    PMDEX_ASSIGN_OR_RETURN(const bool accepts, Accepts(slot, *mapper_));
    accepted_[slot] = accepts ? 1 : 0;
  }
  return absl::OkStatus();
}

absl::Status ValueBucketCollector::CloseSegment() {
  const bool all_are_new = table().size() == 0;  // two slots never have the same key
  for (size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] == 0) continue;
    PMDEX_ASSIGN_OR_RETURN(const uint64_t key, mapper_->BucketKey(i % mapper_->slot_count()));
    const auto parent = static_cast<uint32_t>(i / mapper_->slot_count());
    if (all_are_new) {
      table().Append(parent, key, counts_[i]);
    } else {
      table().AddDocs(table().FindOrAdd(parent, key), counts_[i]);
    }
  }
  counts_.clear();
  mapper_.reset();
  reader_.reset();
  return BucketCollector::CloseSegment();
}

absl::Status ValueBucketCollector::Collect(const DocBatch& batch) {
  if (batch.docs.empty()) return absl::OkStatus();
  if (!reader_.has_value()) {
    has_value_.assign(batch.docs.size(), 0);
    return PlaceMissing(batch);
  }
  PMDEX_RETURN_IF_ERROR(reader_->Load(batch.window));
  uint64_t slot = 0;
  if (HasOneSlot(batch, slot)) {
    const size_t index = IndexOf(0, slot);
    if (counts_.size() <= index) counts_.resize(mapper_->slot_count());
    counts_[index] += batch.docs.size();
    return absl::OkStatus();
  }
  if (CountInPlace(batch)) return absl::OkStatus();
  PMDEX_RETURN_IF_ERROR(ReadSlots(batch));
  PMDEX_RETURN_IF_ERROR(below().empty() ? Count(batch) : Place(batch));
  PMDEX_RETURN_IF_ERROR(PlaceMissing(batch));
  return CheckSize();
}

bool ValueBucketCollector::PaysToCollectAll() {
  if (!reader_.has_value()) return !MissingKey().has_value();
  const ColumnView& column = reader_->column();
  return below().empty() && accepts_all() && (column.is_dense() || !MissingKey().has_value()) &&
         mapper_->slot_count() <= bound().most_array_elements &&
         PaysToCountInOrder(column, *mapper_);
}

absl::Status ValueBucketCollector::CollectAll() {
  if (!reader_.has_value()) return absl::OkStatus();
  counts_.resize(mapper_->slot_count());
  return CountInOrder(reader_->column(), *mapper_, counts_);
}

// True if the bounds of the window's values show that all documents are in one bucket, which has
// nothing below it. Values that are in the order of time are often so.
bool ValueBucketCollector::HasOneSlot(const DocBatch& batch, uint64_t& slot) const {
  const ColumnView& column = reader_->column();
  if (!below().empty() || !batch.buckets.empty() || !accepts_all() || column.is_multi() ||
      !column.is_dense() || mapper_->slot_count() == 0) {
    return false;
  }
  std::array<uint64_t, 2> ends = {reader_->zone().least, reader_->zone().greatest};
  if (ends[0] > ends[1]) return false;
  mapper_->Map(ends);
  slot = ends[0];
  return ends[0] == ends[1] && slot < mapper_->slot_count() && IndexOf(0, slot) != SIZE_MAX;
}

bool ValueBucketCollector::CountInPlace(const DocBatch& batch) {
  const uint64_t slot_count = mapper_->slot_count();
  const bool counts_missing = MissingKey().has_value() && !reader_->column().is_dense();
  if (!mapper_->keeps_keys() || !below().empty() || !batch.buckets.empty() || !accepts_all() ||
      counts_missing || slot_count == 0 || slot_count > bound().most_array_elements) {
    return false;
  }
  if (counts_.size() < slot_count) counts_.resize(slot_count);
  return reader_->CountKeys(batch.docs, std::span(counts_).first(slot_count));
}

absl::Status ValueBucketCollector::ReadSlots(const DocBatch& batch) {
  reader_->Read(batch.docs, slots_);
  if (MissingKey().has_value()) {
    has_value_.assign(batch.docs.size(), 0);
    for (size_t i = 0; i < slots_.keys.size(); ++i) has_value_[slots_.PositionOf(i)] = 1;
  }
  mapper_->Map(slots_.keys);
  const bool drops_some =
      mapper_->drops_values() &&
      std::find(slots_.keys.begin(), slots_.keys.end(), BucketMapper::kNoSlot) != slots_.keys.end();
  if (drops_some || !accepts_all()) PMDEX_RETURN_IF_ERROR(DropSlots());
  if (reader_->column().is_multi()) DropRepeatedSlots();
  return absl::OkStatus();
}

// Removes the values that are in no bucket.
absl::Status ValueBucketCollector::DropSlots() {
  const auto is_in = [&](uint64_t slot) -> absl::StatusOr<bool> {
    if (slot == BucketMapper::kNoSlot && mapper_->drops_values()) return false;
    if (accepts_all()) return true;
    if (!accepted_.empty()) return accepted_[slot] != 0;
    return Accepts(slot, *mapper_);
  };
  size_t kept = 0;
  for (size_t i = 0; i < slots_.keys.size(); ++i) {
    PMDEX_ASSIGN_OR_RETURN(const bool stays, is_in(slots_.keys[i]));
    if (stays && kept == i) {
      ++kept;
      continue;
    }
    if (slots_.positions.empty()) {
      slots_.positions.resize(slots_.keys.size());
      for (size_t j = 0; j < slots_.positions.size(); ++j) {
        slots_.positions[j] = static_cast<uint32_t>(j);
      }
    }
    if (!stays) continue;
    slots_.keys[kept] = slots_.keys[i];
    slots_.positions[kept++] = slots_.positions[i];
  }
  slots_.keys.resize(kept);
  if (!slots_.positions.empty()) slots_.positions.resize(kept);
  return absl::OkStatus();
}

// Leaves each slot once for a document.
void ValueBucketCollector::DropRepeatedSlots() {
  size_t kept = 0;
  for (size_t begin = 0; begin < slots_.keys.size();) {
    const uint32_t position = slots_.positions[begin];
    size_t end = begin + 1;
    while (end < slots_.keys.size() && slots_.positions[end] == position) ++end;
    const auto first = slots_.keys.begin() + static_cast<ptrdiff_t>(begin);
    const auto last = slots_.keys.begin() + static_cast<ptrdiff_t>(end);
    if (end - begin > 1) std::sort(first, last);
    const auto behind = std::unique(first, last);
    for (auto slot = first; slot != behind; ++slot) {
      slots_.keys[kept] = *slot;
      slots_.positions[kept++] = position;
    }
    begin = end;
  }
  slots_.keys.resize(kept);
  slots_.positions.resize(kept);
}

size_t ValueBucketCollector::IndexOf(uint32_t parent, uint64_t slot) const {
  const uint64_t slot_count = mapper_->slot_count();
  const uint64_t most = bound().most_array_elements;
  if (slot_count == 0 || slot_count > most) return SIZE_MAX;
  const uint64_t index = uint64_t{parent} * slot_count + slot;
  return index < most ? index : SIZE_MAX;
}

absl::StatusOr<uint32_t> ValueBucketCollector::BucketOf(uint32_t parent, uint64_t slot) {
  const size_t index = IndexOf(parent, slot);
  if (index < buckets_.size() && buckets_[index] != BucketTable::kNone) return buckets_[index];
  PMDEX_ASSIGN_OR_RETURN(const uint64_t key, mapper_->BucketKey(slot));
  const uint32_t bucket = table().FindOrAdd(parent, key);
  if (index != SIZE_MAX) {
    if (buckets_.size() <= index) {
      buckets_.resize((size_t{parent} + 1) * mapper_->slot_count(), BucketTable::kNone);
    }
    buckets_[index] = bucket;
  }
  return bucket;
}

absl::Status ValueBucketCollector::Count(const DocBatch& batch) {
  const bool one_parent = batch.buckets.empty();
  const uint64_t slot_count = mapper_->slot_count();
  if (one_parent && slot_count != 0 && slot_count <= bound().most_array_elements) {
    if (counts_.size() < slot_count) counts_.resize(slot_count);
    for (const uint64_t slot : slots_.keys) ++counts_[slot];
    return absl::OkStatus();
  }
  for (size_t i = 0; i < slots_.keys.size(); ++i) {
    const uint32_t parent = batch.BucketOf(slots_.PositionOf(i));
    const size_t index = IndexOf(parent, slots_.keys[i]);
    if (index == SIZE_MAX) {
      PMDEX_ASSIGN_OR_RETURN(const uint32_t bucket, BucketOf(parent, slots_.keys[i]));
      table().AddDocs(bucket, 1);
      continue;
    }
    if (counts_.size() <= index) counts_.resize((size_t{parent} + 1) * slot_count);
    ++counts_[index];
  }
  return absl::OkStatus();
}

absl::Status ValueBucketCollector::Place(const DocBatch& batch) {
  placed_docs_.clear();
  placed_buckets_.clear();
  for (size_t i = 0; i < slots_.keys.size(); ++i) {
    const size_t position = slots_.PositionOf(i);
    PMDEX_ASSIGN_OR_RETURN(const uint32_t bucket,
                           BucketOf(batch.BucketOf(position), slots_.keys[i]));
    table().AddDocs(bucket, 1);
    placed_docs_.push_back(batch.docs[position]);
    placed_buckets_.push_back(bucket);
  }
  return CollectBelow(batch.window, placed_docs_, placed_buckets_);
}

// The documents of the batch without a value.
absl::Status ValueBucketCollector::PlaceMissing(const DocBatch& batch) {
  const std::optional<uint64_t> key = MissingKey();
  if (!key.has_value()) return absl::OkStatus();
  placed_docs_.clear();
  placed_buckets_.clear();
  for (size_t i = 0; i < batch.docs.size(); ++i) {
    if (has_value_[i] != 0) continue;
    const uint32_t bucket = table().FindOrAdd(batch.BucketOf(i), *key);
    table().AddDocs(bucket, 1);
    placed_docs_.push_back(batch.docs[i]);
    placed_buckets_.push_back(bucket);
  }
  return CollectBelow(batch.window, placed_docs_, placed_buckets_);
}

}  // namespace pmdex
