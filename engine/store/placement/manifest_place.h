// A place as a manifest lists it: a directory outside the index that holds segments of the index.
// The index directory itself is place 0 and is not listed.
//
// A manifest may come from anywhere, so a path in it proves nothing. The directory must hold a mark
// with the same number (place_mark.h) before anything in it is read or changed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/store/manifest_segment.h"

namespace pmdex {

// What new segments a place takes.
enum class PlaceRole : uint32_t {
  kUncompressed = 0,
  kCompressed = 1,
  kRetired = 2,  // none; it is listed until its files are removed
};
std::string_view ToString(PlaceRole role);  // "uncompressed"

using PlaceMark = std::array<std::byte, 16>;

struct ManifestPlace {
  uint32_t number = 0;  // from 1 to kMaxPlaces
  PlaceRole role = PlaceRole::kUncompressed;
  PlaceMark mark = {};
  std::string path;  // IsPlainAbsolutePath (pmem/file_name.h)

  bool operator==(const ManifestPlace&) const = default;
};

inline constexpr uint32_t kMaxPlaces = 64;

// The payload of a place's record in a manifest.
std::vector<std::byte> EncodePlace(const ManifestPlace& place);
// nullopt if the payload cannot be that of a place.
std::optional<ManifestPlace> DecodePlace(std::span<const std::byte> payload);

// Checks that no number and no path is listed twice, and that every file of a segment lies in the
// index or in a listed place. Returns what is wrong, or nullopt.
std::optional<std::string> FaultOfPlaces(std::span<const ManifestPlace> places,
                                         std::span<const ManifestSegment> segments);

// The place with this number, or nullptr.
const ManifestPlace* FindPlace(std::span<const ManifestPlace> places, uint32_t number);

}  // namespace pmdex
