// Writes a listed segment anew in another tier or at another place. This is the only code of the
// store that knows how the tiers differ. Stateless; thread-safe for different ids.
#pragma once

#include <cstdint>
#include <memory>

#include "engine/segment/segment.h"
#include "engine/store/manifest_segment.h"
#include "pmem/directory.h"
#include "pmem/status.h"

namespace pmdex {

// Opens a segment as the manifest lists it. units: as for Segment::Open. Returns the errors of
// Segment::Open and of the directory, and kDataLoss if the file has another number of documents or
// is of another tier than listed.
absl::StatusOr<std::shared_ptr<const Segment>> OpenListedSegment(const Directory& directory,
                                                                 const ManifestSegment& listed,
                                                                 UncachedUnits units = {});

// Writes the documents of `source` to `directory` in this tier, under this id. The result has all
// facts of the new file and keeps created_s and heat of `listed`, which is the source; its place is
// left to the caller. Returns kDataLoss if the source is damaged, and the errors of the directory.
absl::StatusOr<ManifestSegment> ConvertSegment(const Segment& source, const ManifestSegment& listed,
                                               Tier tier, Directory& directory,
                                               uint64_t segment_id);

}  // namespace pmdex
