// An inverted index in DRAM, owned by one indexer thread and shared with nobody. Documents go in;
// at flush it is the SegmentInput of one segment. Not thread-safe.
//
// One document: BeginDocument, AddField any number of times (a repeated field continues it, a gap
// of kPositionGap between the values), EndDocument.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "engine/analysis/analyzer.h"
#include "engine/segment/segment_input.h"
#include "pmem/status.h"

namespace pmdex {

inline constexpr uint32_t kPositionGap =
    100;  // Lucene's gap between values, so that no phrase spans two

struct MemtableOptions {
  AnalyzerKind analyzer = AnalyzerKind::kStandard;
  bool positions = true;
  bool store_text = false;
};

class Memtable {
 public:
  explicit Memtable(const MemtableOptions& options);
  ~Memtable();

  void BeginDocument(std::string_view id);
  // text need not outlive the call. Requires at most kMaxFields different names in one memtable
  // (false, and nothing is indexed, beyond).
  bool AddField(std::string_view field, std::string_view text);
  void EndDocument();

  uint32_t doc_count() const;
  uint64_t token_count() const;
  // Exact bytes held, plus what WriteSegment will need on top of them.
  size_t memory_bytes() const;

  // Sorts the terms and closes the stored text; afterwards the memtable is read through the input
  // until Clear. The input is owned by the memtable.
  absl::StatusOr<SegmentInput*> Freeze();
  // Empty again, arenas kept for reuse.
  void Clear();

  static constexpr size_t kMaxFields = 4096;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pmdex
