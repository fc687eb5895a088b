// The files of the manifest: the newest valid generation, and how the next one is published.
#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

#include "engine/store/manifest.h"

namespace pmdex {
namespace {

// A writer may replace the generation after the directory was listed and before the manifest is
// opened. If this happens more often in a row, it is an error.
constexpr int kMaxLoadAttempts = 16;

// A record has a length of 32 bits.
constexpr uint64_t kMaxPendingBytes = uint64_t{1} << 31;

// One attempt. Sets `raced` if a writer may have published at the same time: if a listed manifest
// was gone before it was opened, or if the list has no manifest. (A list is no snapshot: it may
// contain neither the old nor the new manifest.)
absl::StatusOr<Manifest> TryLoadNewestManifest(const Directory& directory,
                                               std::vector<absl::Status>& damage, bool& raced) {
  PMDEX_ASSIGN_OR_RETURN(const std::vector<DirectoryEntry> entries, directory.List());
  std::vector<uint64_t> generations;
  for (const DirectoryEntry& entry : entries) {
    if (const auto generation = ParseManifestFileName(entry.name)) {
      generations.push_back(*generation);
    }
  }
  std::sort(generations.rbegin(), generations.rend());
  for (const uint64_t generation : generations) {
    const std::string name = ManifestFileName(generation);
    const auto file = directory.Open(name);
    raced = absl::IsNotFound(file.status());
    // A manifest that cannot be opened now may be sound. A writer that used an older one would
    // remove the segments that this one lists.
    if (!file.ok()) return file.status();
    auto manifest = DecodeManifest((*file)->bytes(), name);
    if (!(*file)->Health().ok()) manifest = (*file)->Health();
    if (manifest.ok() && manifest->generation != generation) {
      manifest = DataLoss(name + ": offset 24: the generation is not that of the file name");
    }
    // A manifest of a newer format is an error. To use an older generation instead would silently
    // undo changes.
    if (manifest.ok() || absl::IsUnimplemented(manifest.status())) return manifest;
    damage.push_back(manifest.status());
  }
  if (!damage.empty()) return damage.front();
  // If a writer was ever here, its lock is here.
  raced = !entries.empty();
  return MakeStatus(absl::StatusCode::kNotFound, absl::StrCat("no index in ", directory.path()));
}

}  // namespace

absl::StatusOr<Manifest> LoadNewestManifest(const Directory& directory,
                                            std::vector<absl::Status>* damage) {
  for (int attempt = 1;; ++attempt) {
    std::vector<absl::Status> found;
    bool raced = false;
    auto manifest = TryLoadNewestManifest(directory, found, raced);
    if (raced && attempt < kMaxLoadAttempts) continue;
    if (damage != nullptr) *damage = std::move(found);
    return manifest;
  }
}

absl::Status PublishManifest(Directory& directory, const Manifest& manifest) {
  if (manifest.generation > kMaxGeneration) {
    return MakeStatus(absl::StatusCode::kFailedPrecondition,
                      absl::StrCat("no generation is left in ", directory.path(), " after ",
                                   kMaxGeneration, " (hint: index into a new directory)"));
  }
  if (manifest.pending.has_value() &&
      manifest.pending->options.size() + manifest.pending->progress.size() > kMaxPendingBytes) {
    return MakeStatus(absl::StatusCode::kResourceExhausted,
                      absl::StrCat("the progress of the build in ", directory.path(),
                                   " takes more than 2 GiB (hint: index it in several runs with "
                                   "--append)"));
  }
  const std::string name = ManifestFileName(manifest.generation);
  const std::string temporary = name + ".tmp";
  const std::vector<std::byte> bytes = EncodeManifest(manifest);
  // The names of the segments must be durable before a manifest that lists them can be.
  PMDEX_RETURN_IF_ERROR(directory.Sync());
  PMDEX_ASSIGN_OR_RETURN(auto file, directory.Create(temporary, bytes.size()));
  file->StoreAndFlush(0, bytes);
  PMDEX_RETURN_IF_ERROR(file->Drain());
  PMDEX_RETURN_IF_ERROR(file->Seal(bytes.size()));
  PMDEX_RETURN_IF_ERROR(directory.Rename(temporary, name));
  return directory.Sync();
}

}  // namespace pmdex
