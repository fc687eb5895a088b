// Finds all documents that match a query, without scores, for `pmdex delete --query`. One cursor a
// segment walks them. Stateless; thread-safe.
#pragma once

#include <vector>

#include "engine/store/snapshot.h"
#include "pmem/status.h"
#include "query/language/query.h"

namespace pmdex {

// The live documents of each segment of the snapshot that match, ascending; indexed like its
// segments. Takes 4 bytes for each match. Errors as BindQuery; kDataLoss if a segment is damaged or
// cannot be read, which is quarantined then.
absl::StatusOr<std::vector<std::vector<DocId>>> FindMatches(const Query& query,
                                                            const Snapshot& snapshot);

}  // namespace pmdex
