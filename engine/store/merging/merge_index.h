// Merges segments of an index one merge after the other, each published before the next begins. So
// an interruption loses at most one merge, and no more space is taken than one merge needs.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/store/index_writer.h"
#include "engine/store/merging/merge_policy.h"
#include "engine/store/merging/merge_request.h"
#include "pmem/status.h"

namespace pmdex {

struct MergeIndexOptions {
  // nullopt: ChooseMerge decides, and tier and order of the request hold for what it chooses.
  std::optional<size_t> max_segments = std::nullopt;
  MergePolicyOptions policy;
  MergeRequest request;
};

struct MergeReport {
  uint64_t merges = 0;
  uint64_t dropped_documents = 0;
  bool is_stopped = false;  // request.stop ended it before all was done
};

// The writer must have been opened with kAppend, and nothing may wait for Publish. Merges that were
// published stay whatever is returned. Returns the errors of IndexWriter::Merge and Publish, and
// that of a segment that cannot be read.
absl::StatusOr<MergeReport> MergeIndex(Directory& directory, IndexWriter& writer,
                                       const MergeIndexOptions& options);

}  // namespace pmdex
