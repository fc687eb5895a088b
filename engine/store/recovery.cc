#include "engine/store/recovery.h"

#include <set>
#include <string>

#include "engine/segment/segment_writer.h"
#include "engine/store/own_files.h"

namespace pmdex {

absl::StatusOr<Manifest> LoadManifestOrEmpty(const Directory& directory,
                                             std::vector<absl::Status>& passed_over) {
  auto manifest = LoadNewestManifest(directory, &passed_over);
  if (absl::IsNotFound(manifest.status())) return Manifest();
  // Every manifest is damaged. A data loss without a finding is another error: one of the medium.
  if (absl::IsDataLoss(manifest.status()) && !passed_over.empty()) return Manifest();
  return manifest;
}

absl::Status RemoveUnlistedFiles(Directory& directory, const Manifest& manifest) {
  std::set<std::string, std::less<>> listed = {ManifestFileName(manifest.generation)};
  for (const ManifestSegment& segment : manifest.segments) {
    listed.insert(SegmentFileName(segment.id));
  }
  if (manifest.pending.has_value()) {
    for (const ManifestSegment& segment : manifest.pending->segments) {
      listed.insert(SegmentFileName(segment.id));
    }
  }
  PMDEX_ASSIGN_OR_RETURN(const std::vector<DirectoryEntry> entries, directory.List());
  bool removed = false;
  for (const DirectoryEntry& entry : entries) {
    if (listed.contains(entry.name)) continue;
    bool removable = IsTemporaryName(entry.name);
    if (!removable) {
      PMDEX_ASSIGN_OR_RETURN(removable, IsOwnFile(directory, entry.name));
    }
    if (!removable) continue;
    PMDEX_RETURN_IF_ERROR(directory.Remove(entry.name));
    removed = true;
  }
  return removed ? directory.Sync() : absl::OkStatus();
}

}  // namespace pmdex
