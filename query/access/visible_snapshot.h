// The documents of an index that a user could reach and read when they were indexed. All others
// count as deleted, so no search, count or facet sees them, and pruning stays exact.
//
// A document has its rights in the keyword `access` (decisions/0026-access.md). One without it is
// hidden, because nothing says that the user may see it.
#pragma once

#include <memory>

#include "engine/store/snapshot.h"
#include "pmem/status.h"
#include "query/access/user_identity.h"

namespace pmdex {

// The cost grows with the number of documents. Returns kDataLoss if a column is damaged; the
// segment is quarantined then.
absl::StatusOr<std::shared_ptr<const Snapshot>> ShowOnlyTo(
    const UserIdentity& user, const std::shared_ptr<const Snapshot>& snapshot);

}  // namespace pmdex
