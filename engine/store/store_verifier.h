// Reads a whole store and reports everything that is not as it should be: manifests, and each
// listed segment with VerifySegment. Never stops at the first damage.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/segment/verify/verifier.h"
#include "pmem/directory.h"
#include "pmem/status.h"

namespace pmdex {

struct VerifyReport {
  std::vector<Finding> findings;
  uint64_t generation = 0;
  uint64_t segments = 0;
  uint64_t pending_segments = 0;  // of an unfinished build, verified all the same
  uint64_t bytes = 0;             // read
};

// An error only when there is nothing to verify (kNotFound) or the directory cannot be read.
absl::StatusOr<VerifyReport> VerifyStore(const Directory& directory);

}  // namespace pmdex
