// Tells which of given documents match a query, without scores and without a look at other
// documents: one cursor a segment seeks them. Thread-safe: no state.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/store/snapshot.h"
#include "pmem/status.h"
#include "query/deadline.h"
#include "query/language/query.h"

namespace pmdex {

// docs: numbers in index order (Snapshot::doc_base + DocId), in any order. False for a document
// that is deleted or that no segment of the snapshot has. Errors as BindQuery; kDeadlineExceeded if
// the deadline comes first; kDataLoss if a segment is damaged or cannot be read, which is
// quarantined then.
absl::StatusOr<std::vector<bool>> MatchDocs(const Query& query, const Snapshot& snapshot,
                                            std::span<const uint64_t> docs,
                                            const Deadline& deadline = kNoDeadline);

}  // namespace pmdex
