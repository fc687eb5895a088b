// What a store looks like after a crash, and how it becomes clean again. The newest valid manifest
// is the truth; a file that it does not list is left over from a writer that never published, or
// from a generation that was replaced.
#pragma once

#include <vector>

#include "engine/store/manifest.h"
#include "pmem/directory.h"
#include "pmem/status.h"

namespace pmdex {

// The newest valid manifest, or one of generation 0 without segments when there is no index yet.
// passed_over receives what is wrong with newer ones.
absl::StatusOr<Manifest> LoadManifestOrEmpty(const Directory& directory,
                                             std::vector<absl::Status>& passed_over);

// Removes temporary files, segments and manifests of ours that `manifest` does not list, visible or
// pending; files with names that are not ours stay. Requires the writer lock. Doing it twice is
// doing it once.
absl::Status RemoveUnlistedFiles(Directory& directory, const Manifest& manifest);

}  // namespace pmdex
