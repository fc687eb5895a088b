// What a store looks like after a crash, and how it becomes clean again. The newest valid manifest
// is the truth; a file that it does not list is left over from a writer that never published, or
// from a generation that was replaced.
#pragma once

#include <vector>

#include "engine/store/manifest.h"
#include "pmem/directory.h"
#include "pmem/status.h"

namespace pmdex {

// The newest valid manifest, or one of generation 0 without segments when there is none.
// passed_over receives what is wrong with the damaged ones that are newer: who goes on in spite of
// it gives up what only they list.
absl::StatusOr<Manifest> LoadManifestOrEmpty(const Directory& directory,
                                             std::vector<absl::Status>& passed_over);

// Removes temporary files, and the segments and manifests that pmdex made (own_files.h) and
// `manifest` does not list, visible or pending. Everything else stays. Requires the writer lock and
// a directory in which an index may be. Doing it twice is doing it once.
absl::Status RemoveUnlistedFiles(Directory& directory, const Manifest& manifest);

}  // namespace pmdex
