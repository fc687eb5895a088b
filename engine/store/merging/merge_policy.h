// Chooses which segments of an index are merged. Only segments that are adjacent in the index are
// merged, because the order of documents decides between equal scores. Pure; thread-safe.
//
// The choice without a number of segments follows Lucene's TieredMergePolicy: an index may have
// about segments_per_tier segments of each size, where each size is segments_per_tier times the one
// before. If it has more, the cheapest merge is chosen: one of segments of equal sizes, of small
// ones, and of ones with many deleted documents.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/store/manifest_segment.h"

namespace pmdex {

struct MergeCandidate {
  uint64_t bytes = 0;
  uint32_t doc_count = 0;
  uint32_t deleted_count = 0;
  Tier tier = Tier::kUncompressed;

  // About the bytes that are left when the deleted documents are dropped.
  uint64_t LiveBytes() const;
};

struct MergePolicyOptions {
  uint64_t segments_per_tier = 10;
  uint64_t max_segments_at_once = 10;
  // A merge is not chosen if its segments would make more than so many bytes. Segments of more than
  // half of that are left alone unless they have many deleted documents.
  uint64_t max_merged_bytes = uint64_t{5} << 30;
  // Smaller segments count as segments of this size, so that tiny ones do not add up.
  uint64_t floor_bytes = uint64_t{16} << 20;
  // A segment is rewritten alone if more of its documents are deleted.
  double most_deleted = 0.2;
  // The space that a merge may take; a merge that needs more is not chosen.
  uint64_t free_bytes = UINT64_MAX;
};

// Segments that become one. count is 1 where a segment is only rewritten.
struct MergeRun {
  size_t first = 0;
  size_t count = 0;
  bool operator==(const MergeRun&) const = default;
};

// The next merge of these segments, which are in index order; nullopt if none is worth its cost.
// Callers carry it out and ask again. Merges end: each one leaves fewer segments or fewer deleted
// documents.
std::optional<MergeRun> ChooseMerge(std::span<const MergeCandidate> segments,
                                    const MergePolicyOptions& options);

// What is written anew besides segments with deleted documents: those of another tier, or all.
struct RewriteOptions {
  std::optional<Tier> tier;
  bool all = false;
};
// The merges after which there are at most max_segments, whatever their sizes. They do not overlap
// and ascend. Adjacent segments with the fewest bytes are merged first. Requires max_segments > 0.
std::vector<MergeRun> ChooseMergesTo(std::span<const MergeCandidate> segments, size_t max_segments,
                                     const RewriteOptions& rewrite);

}  // namespace pmdex
