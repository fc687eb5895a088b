#include "engine/store/recovery.h"

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/segment/segment_writer.h"
#include "engine/store/deletions/live_docs_file.h"
#include "engine/store/known_files/known_files_store.h"
#include "engine/store/own_files.h"
#include "engine/store/placement/place_mark.h"

namespace pmdex {
namespace {

// The names of the files that the manifest lists at this place, its own included.
std::set<std::string, std::less<>> ListedNames(const Manifest& manifest, uint32_t place) {
  std::set<std::string, std::less<>> listed = {ManifestFileName(manifest.generation)};
  manifest.ForEachFile([&](const ManifestSegment& file) {
    if (file.place != place) return;
    listed.insert(SegmentFileName(file.id));
    if (file.live_docs_generation > 0) {
      listed.insert(LiveDocsFileName({file.id, file.live_docs_generation}));
    }
  });
  const auto known_files = DecodeKnownFilesList(KnownFilesPropertyOf(manifest));
  if (place != 0 || !known_files.ok()) return listed;
  for (const ListedKnownFiles& file : *known_files) listed.insert(KnownFilesName(file.number));
  return listed;
}

// Files of an index that never stand at another place than the index itself.
bool IsOfIndexAlone(std::string_view name) {
  return name.starts_with("manifest-") || ParseKnownFilesName(name).has_value();
}

}  // namespace

absl::StatusOr<Manifest> LoadManifestOrEmpty(const Directory& directory,
                                             std::vector<absl::Status>& passed_over) {
  auto manifest = LoadNewestManifest(directory, &passed_over);
  if (absl::IsNotFound(manifest.status())) return Manifest();
  // Every manifest is damaged. A data loss without a finding is another error: one of the medium.
  if (absl::IsDataLoss(manifest.status()) && !passed_over.empty()) return Manifest();
  return manifest;
}

absl::Status RemoveUnlistedFiles(Directory& directory, const Manifest& manifest, uint32_t place) {
  const std::set<std::string, std::less<>> listed = ListedNames(manifest, place);
  PMDEX_ASSIGN_OR_RETURN(const std::vector<std::string> names, directory.ListNames());
  for (const std::string& name : names) {
    if (listed.contains(name)) continue;
    if (place != 0 && IsOfIndexAlone(name)) continue;
    bool removable = IsTemporaryName(name) || (place != 0 && name == kPlaceMarkTemporaryName);
    if (!removable) {
      PMDEX_ASSIGN_OR_RETURN(removable, IsOwnFile(directory, name));
    }
    if (!removable) continue;
    PMDEX_RETURN_IF_ERROR(directory.Remove(name));
  }
  return absl::OkStatus();
}

}  // namespace pmdex
