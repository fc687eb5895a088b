// What IndexWriter::Merge is asked for, and what it did.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "engine/segment/merge/merge_source.h"
#include "engine/store/manifest_segment.h"
#include "pmem/status.h"

namespace pmdex {

struct MergeRequest {
  // Of the new segment. Without it, compressed if all segments are, or if there is no space for an
  // uncompressed one and compressed segments lie in another directory.
  std::optional<Tier> tier = std::nullopt;
  // Chooses the order of the documents, as MergeInputOptions::order. Empty: that of the segments.
  std::function<absl::StatusOr<std::vector<DocId>>(std::span<const MergeSource>)> order = {};
  // Asked often while segments are read; the merge ends with kCancelled once it returns true.
  std::function<bool()> stop = {};
};

struct MergedSegment {
  std::optional<ManifestSegment> segment;  // nullopt if all documents were deleted
  uint64_t dropped_documents = 0;
};

}  // namespace pmdex
