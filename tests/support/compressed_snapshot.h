// The same index with compressed segments, for tests that compare the tiers.
#pragma once

#include <memory>

#include "engine/store/snapshot.h"

namespace pmdex {

enum class CompressedSegments { kAll, kEverySecond };

// Requires that all segments are uncompressed and sound. The same documents are deleted.
std::shared_ptr<const Segment> CompressSegment(const Segment& segment);
std::shared_ptr<const Snapshot> CompressSnapshot(const Snapshot& snapshot,
                                                 CompressedSegments which);

// The same index with all segments compressed as files of the directory, whose units are read past
// the page cache.
std::shared_ptr<const Snapshot> UncachedSnapshot(const Snapshot& snapshot, Directory& directory,
                                                 const std::shared_ptr<BlockCache>& cache);

}  // namespace pmdex
