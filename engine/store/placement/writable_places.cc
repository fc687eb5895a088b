#include "engine/store/placement/writable_places.h"

#include <algorithm>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

#include "engine/segment/segment_writer.h"
#include "engine/store/deletions/live_docs_file.h"
#include "engine/store/own_files.h"
#include "engine/store/placement/place_mark.h"
#include "engine/store/placement/places.h"
#include "engine/store/recovery.h"
#include "pmem/text.h"

namespace pmdex {
namespace {

// Whether the index at this path lists a place with this mark.
absl::StatusOr<bool> IsUsedBy(const Directory& index, const PlaceOwner& owner) {
  const auto directory = index.OpenElsewhere(owner.index, /*create=*/false);
  if (absl::IsNotFound(directory.status())) return false;
  if (!directory.ok()) return directory.status();
  const auto manifest = LoadNewestManifest(**directory, nullptr);
  if (absl::IsNotFound(manifest.status())) return false;
  if (!manifest.ok()) return manifest.status();
  return std::any_of(manifest->places.begin(), manifest->places.end(),
                     [&](const ManifestPlace& place) { return place.mark == owner.mark; });
}

absl::Status NotFreeForPlace(const std::string& path, const std::string& why,
                             const std::string& hint) {
  return MakeStatus(
      absl::StatusCode::kFailedPrecondition,
      absl::StrCat(path, " cannot be a place of this index: ", why, " (hint: ", hint, ")"));
}

// Checks that a directory without a mark holds nothing.
absl::Status CheckFree(const Directory& directory) {
  PMDEX_ASSIGN_OR_RETURN(const std::vector<DirectoryEntry> entries, directory.List());
  PMDEX_ASSIGN_OR_RETURN(std::vector<std::string> names, directory.ListOthers());
  for (const DirectoryEntry& entry : entries) names.push_back(entry.name);
  for (const std::string& name : names) {
    if (IsNameOfAnEmptyDirectory(name) || name == kPlaceMarkTemporaryName) continue;
    return NotFreeForPlace(directory.path(), "it holds " + absl::Utf8SafeCHexEscape(name),
                           "give --place a directory that is new or empty");
  }
  return absl::OkStatus();
}

}  // namespace

bool IsInside(const std::string& path, const std::string& directory) {
  return path.starts_with(directory) &&
         (path.size() == directory.size() || path[directory.size()] == '/');
}

absl::Status WritablePlaces::Keep(std::unique_ptr<Directory> directory, uint32_t number) {
  PMDEX_ASSIGN_OR_RETURN(auto lock, directory->Lock(kWriterLockName));
  places_[number] = {std::move(directory), std::move(lock)};
  return absl::OkStatus();
}

// The mark is that of the manifest. If it names another index, the index was moved or copied.
absl::Status WritablePlaces::CheckOwner(Directory& directory, const ManifestPlace& listed) {
  PMDEX_ASSIGN_OR_RETURN(const PlaceOwner owner, ReadPlaceOwner(directory));
  const std::string index = index_.canonical_path();
  if (owner.index == index) return absl::OkStatus();
  const auto used = IsUsedBy(index_, owner);
  if (used.ok() && !*used) return WritePlaceOwner(directory, {listed.mark, index});
  return MakeStatus(
      absl::StatusCode::kFailedPrecondition,
      absl::StrCat("the place ", listed.path, " belongs to the index in ",
                   absl::Utf8SafeCHexEscape(owner.index),
                   " (hint: an index and its copy cannot share a place; write to that index)"));
}

absl::Status WritablePlaces::OpenListed(const Manifest& manifest) {
  listed_ = manifest.places;
  for (const ManifestPlace& place : listed_) {
    auto directory = OpenMarkedPlace(index_, place);
    if (absl::IsResourceExhausted(directory.status())) return directory.status();
    if (!directory.ok()) continue;
    PMDEX_RETURN_IF_ERROR(Keep(*std::move(directory), place.number));
    PMDEX_RETURN_IF_ERROR(CheckOwner(*Find(place.number), place));
  }
  return absl::OkStatus();
}

absl::StatusOr<ManifestPlace> WritablePlaces::MakePlace(ManifestPlace place) {
  const std::string index = index_.canonical_path();
  if (IsInside(place.path, index)) {
    return NotFreeForPlace(place.path, "it is the index, or lies in it",
                           "give a directory outside of the index");
  }
  PMDEX_ASSIGN_OR_RETURN(auto directory, index_.OpenElsewhere(place.path, /*create=*/true));
  const auto owner = ReadPlaceOwner(*directory);
  if (owner.ok() && owner->index != index) {
    return NotFreeForPlace(
        place.path, "it is a place of the index in " + absl::Utf8SafeCHexEscape(owner->index),
        absl::StrCat("give another directory, or remove ", place.path, "/", ToAbsl(kPlaceMarkName),
                     " if that index is gone"));
  }
  if (!owner.ok() && !absl::IsNotFound(owner.status())) return owner.status();
  if (!owner.ok()) PMDEX_RETURN_IF_ERROR(CheckFree(*directory));
  PMDEX_RETURN_IF_ERROR(Keep(std::move(directory), place.number));
  if (!owner.ok()) {
    PMDEX_RETURN_IF_ERROR(WritePlaceOwner(*Find(place.number), {place.mark, index}));
  } else {
    // A writer that died before it listed the place, or an index that was removed, left the mark.
    place.mark = owner->mark;
  }
  return place;
}

absl::Status WritablePlaces::UsePath(const std::string& path, PlaceRole role,
                                     const PlaceMark& mark) {
  const auto found = std::find_if(listed_.begin(), listed_.end(),
                                  [&](const ManifestPlace& place) { return place.path == path; });
  if (found != listed_.end()) {
    found->role = role;
    return absl::OkStatus();
  }
  uint32_t number = 1;
  while (FindPlace(listed_, number) != nullptr || Find(number) != nullptr) ++number;
  if (number > kMaxPlaces) {
    return MakeStatus(absl::StatusCode::kFailedPrecondition,
                      absl::StrCat("an index can have at most ", kMaxPlaces, " places"));
  }
  PMDEX_ASSIGN_OR_RETURN(ManifestPlace made,
                         MakePlace({number, role, listed_.empty() ? mark : listed_[0].mark, path}));
  listed_.push_back(std::move(made));
  return absl::OkStatus();
}

void WritablePlaces::Retire(PlaceRole role) {
  for (ManifestPlace& place : listed_) {
    if (place.role == role) place.role = PlaceRole::kRetired;
  }
}

absl::Status WritablePlaces::Use(const PlacementOptions& options, bool keep_others) {
  if (!options.places.empty() || !keep_others) Retire(PlaceRole::kUncompressed);
  if (!options.compressed_directory.empty() || !keep_others) Retire(PlaceRole::kCompressed);
  for (const std::string& path : options.places) {
    if (path == options.compressed_directory) {
      return NotFreeForPlace(path, "both tiers would lie there",
                             "give --compressed-dir another directory than --place");
    }
    PMDEX_RETURN_IF_ERROR(UsePath(path, PlaceRole::kUncompressed, options.mark));
  }
  if (options.compressed_directory.empty()) return absl::OkStatus();
  return UsePath(options.compressed_directory, PlaceRole::kCompressed, options.mark);
}

std::optional<uint32_t> WritablePlaces::CompressedPlace() const {
  for (const ManifestPlace& place : listed_) {
    if (place.role != PlaceRole::kCompressed) continue;
    if (Find(place.number) == nullptr) return std::nullopt;
    return place.number;
  }
  return 0;
}

std::vector<uint32_t> WritablePlaces::UncompressedPlaces() const {
  std::vector<uint32_t> numbers;
  bool is_any_listed = false;
  for (const ManifestPlace& place : listed_) {
    if (place.role != PlaceRole::kUncompressed) continue;
    is_any_listed = true;
    if (Find(place.number) != nullptr) numbers.push_back(place.number);
  }
  if (!is_any_listed) numbers.push_back(0);
  return numbers;
}

Directory* WritablePlaces::Find(uint32_t number) const {
  if (number == 0) return &index_;
  const auto found = places_.find(number);
  return found == places_.end() ? nullptr : found->second.directory.get();
}

absl::Status WritablePlaces::RemoveUnlisted(const Manifest& manifest) {
  absl::Status first = RemoveUnlistedFiles(index_, manifest, 0);
  for (const auto& [number, place] : places_) {
    const absl::Status removed = RemoveUnlistedFiles(*place.directory, manifest, number);
    if (first.ok()) first = removed;
  }
  return first;
}

void WritablePlaces::DropRetired(const Manifest& manifest) {
  std::set<uint32_t> used;
  manifest.ForEachFile([&](const ManifestSegment& file) { used.insert(file.place); });
  std::erase_if(listed_, [&](const ManifestPlace& place) {
    if (place.role != PlaceRole::kRetired || used.contains(place.number)) return false;
    Directory* const directory = Find(place.number);
    // If a power cut brought a removed file back, no later writer would look for it there.
    if (directory == nullptr || !directory->Sync().ok()) return false;
    dropped_.push_back(place.number);
    return true;
  });
}

void WritablePlaces::ReleaseDropped() {
  for (const uint32_t number : dropped_) {
    Directory& directory = *Find(number);
    // A mark that stays does no harm: it names this index.
    if (directory.Remove(kPlaceMarkName).ok()) directory.Sync().IgnoreError();
    places_.erase(number);
  }
  dropped_.clear();
}

absl::Status WritablePlaces::SyncNew(const Manifest& old, const Manifest& next) {
  const auto key_of = [](const ManifestSegment& segment) {
    return LiveDocsKey{segment.id, segment.live_docs_generation};
  };
  std::set<LiveDocsKey> known;
  old.ForEachFile([&](const ManifestSegment& segment) { known.insert(key_of(segment)); });
  std::set<uint32_t> changed;
  next.ForEachFile([&](const ManifestSegment& segment) {
    if (segment.place != 0 && !known.contains(key_of(segment))) changed.insert(segment.place);
  });
  for (const uint32_t place : changed) PMDEX_RETURN_IF_ERROR(Find(place)->Sync());
  return absl::OkStatus();
}

absl::Status WritablePlaces::ApplyMode(const Manifest& manifest) {
  absl::Status first;
  const auto apply = [&](uint32_t place, const std::string& name) {
    Directory* directory = Find(place);
    if (directory == nullptr) return;
    const absl::Status applied = directory->ApplyMode(name);
    // Readers report a missing segment.
    if (first.ok() && !absl::IsNotFound(applied)) first = applied;
  };
  apply(0, std::string(kWriterLockName));
  apply(0, ManifestFileName(manifest.generation));
  manifest.ForEachFile([&](const ManifestSegment& segment) {
    apply(segment.place, SegmentFileName(segment.id));
    if (segment.live_docs_generation == 0) return;
    apply(segment.place, LiveDocsFileName({segment.id, segment.live_docs_generation}));
  });
  for (const ManifestPlace& place : manifest.places) {
    for (const std::string_view name : {kWriterLockName, kPlaceMarkName, std::string_view()}) {
      apply(place.number, std::string(name));
    }
  }
  apply(0, "");
  return first;
}

absl::StatusOr<TakenNames> WritablePlaces::ReadTaken() const {
  PMDEX_ASSIGN_OR_RETURN(TakenNames taken, ReadTakenNames(index_));
  for (const auto& [number, place] : places_) {
    PMDEX_ASSIGN_OR_RETURN(const TakenNames more, ReadTakenNames(*place.directory));
    taken.segment_ids.insert(more.segment_ids.begin(), more.segment_ids.end());
    taken.live_docs.insert(more.live_docs.begin(), more.live_docs.end());
  }
  return taken;
}

}  // namespace pmdex
