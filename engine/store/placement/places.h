// The opened directories of the places that a reader needs. A directory is used only if its mark
// (place_mark.h) is the one that the manifest lists. Otherwise the place is absent, and the reader
// quarantines the segments that lie there. Thread-safe once opened.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/store/manifest.h"
#include "engine/store/placement/manifest_place.h"
#include "pmem/directory.h"
#include "pmem/status.h"

namespace pmdex {

// Opens the directory of a listed place and checks its mark.
absl::StatusOr<std::unique_ptr<Directory>> OpenMarkedPlace(const Directory& index,
                                                           const ManifestPlace& listed);

class ReadablePlaces {
 public:
  // Opens the places in which the manifest lists segments. `index` must outlive the object. Returns
  // kResourceExhausted if this process lacks what it needs to open them. Other errors make a place
  // absent.
  static absl::StatusOr<ReadablePlaces> Open(const Directory& index, const Manifest& manifest);

  // The directory of a place that the manifest lists, or why it is absent.
  absl::StatusOr<const Directory*> Find(uint32_t number) const;
  // The file as a message should name it: with the path of the place, unless that is the index.
  std::string NameOf(uint32_t number, const std::string& file_name) const;

 private:
  struct Place {
    std::unique_ptr<Directory> directory;
    absl::Status absent;
  };

  explicit ReadablePlaces(const Directory& index) : index_(&index) {}
  absl::Status Add(const ManifestPlace& listed);

  const Directory* index_;
  std::map<uint32_t, Place> places_;
};

}  // namespace pmdex
