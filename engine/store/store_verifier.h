// Reads a whole index and reports everything that is damaged: its manifests, each listed
// segment by VerifySegment, and its live documents. Does not stop at the first damage.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "engine/segment/verify/verifier.h"
#include "engine/store/manifest.h"
#include "pmem/directory.h"
#include "pmem/status.h"

namespace pmdex {

struct VerifyReport {
  std::vector<Finding> findings;
  uint64_t generation = 0;
  uint64_t segments = 0;
  uint64_t copies = 0;            // that are kept of segments; they are verified, too
  uint64_t pending_segments = 0;  // of an unfinished build; they are verified, too
  uint64_t bytes = 0;             // that were read
};

// Returns kNotFound if there is no index, and an error if the directory cannot be read. Damage is
// no error.
absl::StatusOr<VerifyReport> VerifyStore(const Directory& directory);

// The segments for which a copy is kept, as far as something is wrong with one of both files.
struct DamagedPairs {
  std::vector<uint64_t> segments;  // that are damaged, missing or unreadable
  std::set<uint64_t> copies;       // the ids of the segments whose copies are
};
// Reads all these segments and copies. Returns an error if this process lacks what it needs.
absl::StatusOr<DamagedPairs> FindDamagedPairs(const Directory& directory, const Manifest& manifest);

}  // namespace pmdex
