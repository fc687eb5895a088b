// Where the new segments of an index go, as the flags of `index` say it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/store/placement/manifest_place.h"
#include "pmem/status.h"

namespace pmdex {

enum class TierChoice : uint8_t {
  // Uncompressed up to the limit and while there is space, then compressed.
  kAuto,
  kUncompressed,
  kCompressed,
  // As the index is, which is what a writer does without UsePlaces: compressed if it has segments
  // and all of them are, else uncompressed. Where there is no space for an uncompressed one,
  // compressed if compressed segments lie in another directory.
  kAsIndex,
};

struct PlacementOptions {
  // The directories over which uncompressed segments are spread, as canonical paths. Empty: the
  // directory of the index, or for an index that is appended to what it has.
  std::vector<std::string> places;
  // The directory of compressed segments, as places. Empty: the directory of the index, or for an
  // index that is appended to what it has.
  std::string compressed_directory;
  TierChoice tier = TierChoice::kAuto;
  // The time that new segments get as the time at which they were created; 0: none.
  uint64_t now_s = 0;
  // The mark of new places of an index that has none yet. Two indexes must not have the same.
  PlaceMark mark = {};
};

// A mark that no other index has. Returns an error if the system has no random numbers.
absl::StatusOr<PlaceMark> NewPlaceMark();

}  // namespace pmdex
