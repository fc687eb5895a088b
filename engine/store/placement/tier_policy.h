// Chooses the segments that `pmdex tier` converts: by name, or by heat, size and age. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/store/manifest.h"
#include "pmem/status.h"

namespace pmdex {

// Exactly one of the members says which segments.
struct TierPolicy {
  std::vector<std::string> segments = {};  // file names, with or without ".pmdex", or ids
  std::optional<uint64_t> coldest_bytes =
      std::nullopt;  // the least searched ones that make so many bytes
  std::optional<uint64_t> older_than_s = std::nullopt;  // those that were created longer ago
  bool all = false;
};

// The ids of the chosen segments in index order. now_s: seconds since 1970. coldest_bytes chooses
// among the segments of `from`: the one with the fewest queries a byte first, until their bytes
// make so many. older_than_s leaves out segments whose age is unknown. Returns kInvalidArgument
// unless exactly one member is set, and kNotFound for a name that the manifest does not list.
absl::StatusOr<std::vector<uint64_t>> ChooseSegments(const Manifest& manifest,
                                                     const TierPolicy& policy, Tier from,
                                                     uint64_t now_s);

// The seconds of "90s", "10m", "12h", "7d" or "2w"; nullopt for other text.
std::optional<uint64_t> ParseAge(std::string_view text);

}  // namespace pmdex
