// Makes the indexes that `pmdex compare` measures. How an index of a tier is made is known here and
// nowhere else: by the program's own commands, each in a process of its own, so that a build leaves
// no memory behind. Thread-safe: no state.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/store/snapshot.h"
#include "pmem/status.h"

namespace pmdex {

struct IndexOrder {
  std::string program;              // the path of pmdex
  std::vector<std::string> inputs;  // of `pmdex index`; empty: copy_of is copied
  std::string format = "auto";      // of the inputs
  std::string copy_of;              // an index; the segments of all its places are copied
  std::string tier;                 // "uncompressed" or "compressed"
  std::string place;                // the directory of the new index
  size_t threads = 0;               // of the build; 0: as pmdex index chooses
};

struct MadeIndex {
  std::string path;
  std::optional<double> build_s;  // absent for a copy, and for an index that was there
};

// Makes the index, with all segments in order.place. If an interrupted run left a part of it, a
// build goes on from there, and a copy is made anew. Returns an error with the message of the
// command if the index cannot be made so.
absl::StatusOr<MadeIndex> MakeIndex(const IndexOrder& order);

// "uncompressed" or "compressed"; "mixed" if the segments differ.
std::string TierOf(const Snapshot& snapshot);

}  // namespace pmdex
