// How many documents carry an id that came before in the index. Until documents can be replaced
// both stay, and the run says how many there are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>

#include "engine/store/snapshot.h"
#include "pmem/status.h"

namespace pmdex {

// Counts documents of segments that are not in `old_segments` (by segment id) whose id another
// document before them has, in this snapshot. Cost: every id is hashed to 64 bits; the hashes of
// the new documents are sorted, and those of the old ones looked up. 10 bytes a new document; when
// that is more than memory_bytes, in several passes over the ids, each with a part of the hashes.
// Two different ids are taken for one with probability n * new / 2^64 (5e-4 for 100 million
// documents).
absl::StatusOr<uint64_t> CountRepeatedIds(const Snapshot& snapshot,
                                          const std::set<uint64_t>& old_segments,
                                          size_t memory_bytes);

}  // namespace pmdex
