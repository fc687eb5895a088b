// Counts the documents whose id an earlier document of the index has. The index cannot replace
// documents yet, so both stay, and the report says how many there are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>

#include "engine/store/snapshot.h"
#include "pmem/status.h"

namespace pmdex {

// Counts the new documents of the snapshot whose id a document before them has. Deleted documents
// do not count. A document is new if its segment is not in `old_segments` (ids of segments).
//
// Hashes every id to 64 bits, sorts the hashes of the new documents, and looks up those of the old
// ones. This takes 10 bytes for each new document. If that is more than memory_bytes, it passes
// over the ids several times, each time with a part of the hashes. It takes two different ids for
// the same with a probability of all documents * new documents / 2^64: 5e-4 if all of 100 million
// are new.
absl::StatusOr<uint64_t> CountRepeatedIds(const Snapshot& snapshot,
                                          const std::set<uint64_t>& old_segments,
                                          size_t memory_bytes);

}  // namespace pmdex
