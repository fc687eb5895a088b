// Files of live documents: one for each segment with deletions, beside the segment. Such a file is
// written once and never changed; deleting further documents makes one with the next generation.
// The manifest lists which one counts, with its checksum.
//
// Stateless; thread-safe for different names.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/segment/live_docs.h"
#include "engine/store/manifest_segment.h"
#include "pmem/directory.h"
#include "pmem/status.h"

namespace pmdex {

// Which file of live documents.
struct LiveDocsKey {
  uint64_t segment_id = 0;
  uint64_t generation = 0;  // from 1; each segment counts its own
  auto operator<=>(const LiveDocsKey&) const = default;
};

// "live-000000000000000a-0000000000000001.pmdex": segment 10, generation 1.
std::string LiveDocsFileName(const LiveDocsKey& key);
// The key in a name that is exactly its LiveDocsFileName; nullopt for other names.
std::optional<LiveDocsKey> ParseLiveDocsFileName(std::string_view name);

// Writes the file under a temporary name, seals it and renames it. It is durable once the
// directory's Sync has returned. Returns its checksum, and the errors of the directory; after an
// error it removes the temporary file if it can.
absl::StatusOr<uint32_t> WriteLiveDocs(Directory& directory, const LiveDocsKey& key,
                                       const LiveDocs& live_docs);

// Reads the file that the manifest lists for the segment and copies its words into memory, so that
// no later fault of the medium makes documents look deleted. Requires live_docs_generation > 0.
// Returns kDataLoss if the file is not the listed one or is damaged, kUnimplemented if it has a
// newer format, and the errors of Directory::Open.
absl::StatusOr<LiveDocs> ReadLiveDocs(const Directory& directory, const ManifestSegment& listed);

}  // namespace pmdex
