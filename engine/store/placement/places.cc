#include "engine/store/placement/places.h"

#include <set>
#include <utility>

#include "absl/strings/str_cat.h"

#include "engine/store/placement/place_mark.h"
#include "pmem/text.h"

namespace pmdex {
namespace {

// An error of this kind is about the place. Its code must not be one that makes a reader refuse the
// whole index.
absl::Status AsAbsent(const absl::Status& status, const ManifestPlace& listed) {
  const absl::StatusCode code =
      absl::IsUnimplemented(status) ? absl::StatusCode::kFailedPrecondition : status.code();
  return MakeStatus(code,
                    absl::StrCat("place ", listed.path, " is absent: ", ToAbsl(Message(status))));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Directory>> OpenMarkedPlace(const Directory& index,
                                                           const ManifestPlace& listed) {
  PMDEX_ASSIGN_OR_RETURN(auto directory, index.OpenElsewhere(listed.path, /*create=*/false));
  PMDEX_RETURN_IF_ERROR(CheckPlaceMark(*directory, listed));
  return directory;
}

absl::StatusOr<ReadablePlaces> ReadablePlaces::Open(const Directory& index,
                                                    const Manifest& manifest) {
  std::set<uint32_t> used;
  manifest.ForEachFile([&](const ManifestSegment& file) { used.insert(file.place); });
  ReadablePlaces opened(index);
  for (const ManifestPlace& listed : manifest.places) {
    if (used.contains(listed.number)) PMDEX_RETURN_IF_ERROR(opened.Add(listed));
  }
  return opened;
}

absl::Status ReadablePlaces::Add(const ManifestPlace& listed) {
  auto directory = OpenMarkedPlace(*index_, listed);
  if (absl::IsResourceExhausted(directory.status())) return directory.status();
  Place& place = places_[listed.number];
  if (directory.ok()) {
    place.directory = *std::move(directory);
  } else {
    place.absent = AsAbsent(directory.status(), listed);
  }
  return absl::OkStatus();
}

absl::StatusOr<const Directory*> ReadablePlaces::Find(uint32_t number) const {
  if (number == 0) return index_;
  const auto found = places_.find(number);
  if (found == places_.end()) {
    return MakeStatus(absl::StatusCode::kFailedPrecondition,
                      absl::StrCat("place ", number, " is not open"));
  }
  if (!found->second.absent.ok()) return found->second.absent;
  return found->second.directory.get();
}

std::string ReadablePlaces::NameOf(uint32_t number, const std::string& file_name) const {
  const auto found = places_.find(number);
  if (found == places_.end() || found->second.directory == nullptr) return file_name;
  return absl::StrCat(found->second.directory->path(), "/", file_name);
}

}  // namespace pmdex
