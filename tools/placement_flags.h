// The flags of `pmdex index` that say where the segments of an index go.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/store/index_writer.h"
#include "pmem/status.h"

namespace pmdex {

struct PlacementFlags {
  std::vector<std::string> places;
  std::string compressed_directory;
  std::string tier = "auto";
  uint64_t limit_bytes = 0;  // of uncompressed segments
  bool has_limit = false;
  std::optional<bool> keep_compressed;  // none: what the index has
};

// The flags outlive the parsing.
void AddPlacementFlags(CLI::App& command, PlacementFlags& flags);

// Returns kInvalidArgument for values that do not fit together.
absl::Status CheckPlacementFlags(const PlacementFlags& flags);

// Has the writer use the places of the flags, whose directories it makes where they are missing.
// segment_bytes: what one segment of this build may take, for which auto leaves room.
absl::Status ApplyPlacementFlags(const PlacementFlags& flags, uint64_t segment_bytes,
                                 IndexWriter& writer);

}  // namespace pmdex
