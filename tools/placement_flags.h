// The flags of `pmdex index` that say where the segments of an index go.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "engine/store/index_writer.h"
#include "pmem/status.h"

namespace pmdex {

struct PlacementFlags {
  std::vector<std::string> places;
  std::string tier;
};

// The flags outlive the parsing.
void AddPlacementFlags(CLI::App& command, PlacementFlags& flags);

// Returns kInvalidArgument for values that do not fit together.
absl::Status CheckPlacementFlags(const PlacementFlags& flags);

// Has the writer use the places of the flags, whose directories it makes where they are missing.
absl::Status ApplyPlacementFlags(const PlacementFlags& flags, IndexWriter& writer);

}  // namespace pmdex
