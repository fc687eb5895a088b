// Makes memtables and small segments in DRAM of the documents of a live index. A segment in DRAM
// has the format of one on the medium, so that all algorithms search it without knowing.
//
// Thread-safe: any number of threads may build at a time. Segments outlive the builder. The
// builder outlives the memtables that it made.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"

#include "engine/analysis/analyzer.h"
#include "engine/ingest/fields/known_fields.h"
#include "engine/ingest/formats/field_registry.h"
#include "engine/live/added_document.h"
#include "engine/memtable/chunk_pool.h"
#include "engine/memtable/field_names.h"
#include "engine/memtable/memtable.h"
#include "engine/segment/segment.h"
#include "engine/store/manifest.h"
#include "pmem/directory.h"
#include "pmem/mutex.h"
#include "pmem/status.h"

namespace pmdex {

class DramSegmentBuilder;

// A memtable with an analyzer of its own, which goes back to the builder when it is destroyed. Not
// thread-safe.
class DramMemtable {
 public:
  DramMemtable(DramSegmentBuilder& builder, std::unique_ptr<Analyzer> analyzer);
  DramMemtable(const DramMemtable&) = delete;
  DramMemtable& operator=(const DramMemtable&) = delete;
  ~DramMemtable();
  Memtable& operator*() { return memtable_; }
  Memtable* operator->() { return &memtable_; }

 private:
  DramSegmentBuilder& builder_;
  std::unique_ptr<Analyzer> analyzer_;
  Memtable memtable_;
};

class DramSegmentBuilder {
 public:
  // field_names: the fields that the index already has. make_custom: for the analyzer kCustom.
  DramSegmentBuilder(const IndexSettings& settings, const std::vector<std::string>& field_names,
                     AnalyzerFactory make_custom = nullptr);

  std::unique_ptr<DramMemtable> NewMemtable();
  std::unique_ptr<DramMemtable> NewMemtableOf(std::span<const AddedDocumentPointer> documents);
  // A segment in DRAM of these documents in this order. Requires at least one document, each of
  // which CheckAddedDocument has accepted. Returns kResourceExhausted without memory.
  absl::StatusOr<std::shared_ptr<const Segment>> Build(
      std::span<const AddedDocumentPointer> documents);

 private:
  friend class DramMemtable;
  struct Names final : FieldNames {
    explicit Names(const KnownFields& fields)
        : registry(fields, kMaxFields, FieldAdmission::kInOrder) {}
    bool HasOwnField(std::string_view name) override;
    FieldRegistry registry;
  };

  std::unique_ptr<Analyzer> TakeAnalyzer();
  void Return(std::unique_ptr<Analyzer> analyzer);

  const IndexSettings settings_;
  const AnalyzerFactory make_custom_;
  const std::unique_ptr<Directory> dram_;
  Names names_;       // thread-safe
  ChunkPool chunks_;  // of memtables, because the kernel takes longer to zero one than filling it
  std::atomic<uint64_t> next_id_;
  // From the memtable that was destroyed last: the next one is likely to have as many.
  std::atomic<size_t> expected_terms_ = 0;
  Mutex mutex_;
  std::vector<std::unique_ptr<Analyzer>> idle_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace pmdex
