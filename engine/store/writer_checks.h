// What an IndexWriter checks before it changes anything: whether the index fits how it is opened,
// and whether the segments of a build that it goes on with are there. Stateless, thread-safe.
#pragma once

#include <string>
#include <vector>

#include "engine/store/manifest.h"
#include "engine/store/placement/writable_places.h"
#include "pmem/status.h"

namespace pmdex {

// Returns kFailedPrecondition if what is appended would be built otherwise than what the index has.
absl::Status CheckSettings(const IndexSettings& have, const IndexSettings& settings,
                           const std::string& path);

// The errors of OpenMode for this manifest. path: of the index, for messages.
absl::Status CheckMode(OpenMode mode, const Manifest& manifest, const IndexSettings& settings,
                       const std::string& path);

// Recovery keeps the files that a manifest lists. This checks that they exist and are those that
// were listed, before anything is added to the build.
absl::Status CheckPendingSegments(const WritablePlaces& places,
                                  const std::vector<ManifestSegment>& segments);

}  // namespace pmdex
