// The places of an index for its writer: their directories, opened and locked, and the list of them
// for the next manifest. A place whose directory is not there, or has another mark than the
// manifest lists, is absent: it stays listed, and the writer changes nothing there.
//
// Find may be called by several threads; no other function may run at the same time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/store/manifest.h"
#include "engine/store/own_files.h"
#include "engine/store/placement/manifest_place.h"
#include "engine/store/placement/placement_options.h"
#include "pmem/directory.h"
#include "pmem/status.h"

namespace pmdex {

class WritablePlaces {
 public:
  // Requires the writer lock of `index`, which must outlive the object.
  explicit WritablePlaces(Directory& index) : index_(index) {}

  // Opens and locks the places that the manifest lists. Where the index was moved, the mark is
  // written anew. Returns kUnavailable if another process has locked a place, and
  // kFailedPrecondition if the index is a copy and the original still uses a place.
  absl::Status OpenListed(const Manifest& manifest);

  // Lists the places of the options, and makes directories that are not places of the index yet
  // places of it; durable on return. keep_others: if the options name no place for a tier, segments
  // of the tier go where they went before. Otherwise places that the options do not name are
  // retired. Returns
  // kFailedPrecondition if a directory holds anything else, belongs to another index or lies inside
  // the index, or if there would be too many places.
  absl::Status Use(const PlacementOptions& options, bool keep_others);

  // For the next manifest.
  const std::vector<ManifestPlace>& listed() const { return listed_; }
  // Those that take uncompressed segments and are not absent; 0, the index, if none is listed.
  std::vector<uint32_t> UncompressedPlaces() const;
  // The place that takes compressed segments; 0, the index, if none is listed. nullopt if it is
  // absent.
  std::optional<uint32_t> CompressedPlace() const;
  // The directory of a place; that of the index for 0; nullptr if the place is absent.
  Directory* Find(uint32_t number) const;

  // Removes what earlier writers left in all places (RemoveUnlistedFiles), the index included.
  absl::Status RemoveUnlisted(const Manifest& manifest);
  // Lists retired places without segments no more, once what was removed from them is durable.
  // ReleaseDropped removes their marks, so that the directories are free; call it once a manifest
  // is published that does not list them.
  void DropRetired(const Manifest& manifest);
  void ReleaseDropped();
  // Makes the names of files of segments durable that `next` lists and `old` does not, except those
  // in the index, which PublishManifest syncs.
  absl::Status SyncNew(const Manifest& old, const Manifest& next);
  // Gives all files that the manifest lists, and their directories, the mode that the index was
  // opened with.
  absl::Status ApplyMode(const Manifest& manifest);
  // The names of files in all places: no new file may get them.
  absl::StatusOr<TakenNames> ReadTaken() const;

 private:
  struct Place {
    std::unique_ptr<Directory> directory;
    std::unique_ptr<DirectoryLock> lock;
  };

  absl::Status CheckOwner(Directory& directory, const ManifestPlace& listed);
  absl::Status Keep(std::unique_ptr<Directory> directory, uint32_t number);
  void Retire(PlaceRole role);
  absl::Status UsePath(const std::string& path, PlaceRole role, const PlaceMark& mark);
  absl::StatusOr<ManifestPlace> MakePlace(ManifestPlace place);

  Directory& index_;
  std::map<uint32_t, Place> places_;
  std::vector<ManifestPlace> listed_;
  std::vector<uint32_t> dropped_;
};

// True if `path` is `directory` or lies in it. Both are canonical.
bool IsInside(const std::string& path, const std::string& directory);

}  // namespace pmdex
