// Recovers an index after a crash. The newest valid manifest says which segments the index has.
// Files that it does not list are left from a writer that did not publish, or from a generation
// that was replaced.
#pragma once

#include <vector>

#include "engine/store/manifest.h"
#include "pmem/directory.h"
#include "pmem/status.h"

namespace pmdex {

// The newest valid manifest, or a manifest of generation 0 without segments if there is none.
// Appends what is wrong with newer, damaged manifests to passed_over. A caller that goes on in
// spite of it gives up what only those manifests list.
absl::StatusOr<Manifest> LoadManifestOrEmpty(const Directory& directory,
                                             std::vector<absl::Status>& passed_over);

// Removes temporary files, and all manifests, segments and files of live documents that pmdex made
// (own_files.h) except `manifest` and the files that it lists at this place. Other files stay.
// Requires the writer lock and, for place 0, a directory that CheckPlaceForIndex accepts; for
// another place the directory with its mark, where manifests stay. A second call changes nothing.
// The directory is not synced: after a power cut files may be there again, for the next writer.
absl::Status RemoveUnlistedFiles(Directory& directory, const Manifest& manifest,
                                 uint32_t place = 0);

}  // namespace pmdex
