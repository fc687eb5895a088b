// The file that binds a place to one index. It holds the mark that the manifest of the index lists
// for the place, and the path of the index. Readers compare the mark. A writer also compares the
// path, so that a copy of an index never removes segments of the original.
//
// Stateless; thread-safe. docs/FORMAT.md has the bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/store/placement/manifest_place.h"
#include "pmem/directory.h"
#include "pmem/status.h"

namespace pmdex {

inline constexpr std::string_view kPlaceMarkName = "pmdex-place";
inline constexpr std::string_view kPlaceMarkTemporaryName = "pmdex-place.tmp";

struct PlaceOwner {
  PlaceMark mark = {};
  std::string index;  // Directory::canonical_path of the index
};

std::string EncodePlaceOwner(const PlaceOwner& owner);
// nullopt unless the text is exactly what EncodePlaceOwner makes.
std::optional<PlaceOwner> DecodePlaceOwner(std::string_view text);

// Returns kNotFound if the directory has no mark, and kDataLoss if the mark is damaged or longer
// than kMaxPlaceMarkBytes.
absl::StatusOr<PlaceOwner> ReadPlaceOwner(const Directory& place);
inline constexpr size_t kMaxPlaceMarkBytes = 8192;

// Writes the mark, or replaces it. Durable on return.
absl::Status WritePlaceOwner(Directory& place, const PlaceOwner& owner);

// Returns kFailedPrecondition if the mark of the directory is not that of the manifest, and the
// errors of ReadPlaceOwner.
absl::Status CheckPlaceMark(const Directory& place, const ManifestPlace& listed);

}  // namespace pmdex
