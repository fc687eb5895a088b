// Keeps the known files of `pmdex watch` in the directory of an index, in the same generation as
// the documents: a crash leaves both or neither.
//
// A generation lists its files of known files in a property of the manifest. Each write adds one
// file with the changes. Where the files before it are not at least twice as large, it takes their
// entries in, so that an entry is written O(log n) times and the list stays short. Files that the
// newest manifest does not list are removed by the writer (recovery.h).
#pragma once

#include <string>

#include "engine/store/known_files/known_files.h"
#include "engine/store/known_files/known_files_format.h"
#include "engine/store/manifest.h"
#include "pmem/directory.h"
#include "pmem/status.h"

namespace pmdex {

// The known files of this generation, without changes; none if it lists no files. Returns kDataLoss
// if a file is damaged, kNotFound if it is missing (as in a copy that was made by other means), and
// kUnimplemented for a newer format.
absl::StatusOr<KnownFiles> LoadKnownFiles(const Directory& directory, const Manifest& manifest);

// Writes known.changes() into a new file, and returns the property that lists the files from now
// on. `before`: the property of the generation that `known` was loaded from or last written for;
// empty if there is none. The file is durable once a manifest with the property is published; call
// known.ClearChanges() then. Requires the writer lock.
absl::StatusOr<std::string> WriteKnownFiles(Directory& directory, const KnownFiles& known,
                                            const std::string& before);

// The property of a manifest; empty if it has none.
std::string KnownFilesPropertyOf(const Manifest& manifest);

}  // namespace pmdex
