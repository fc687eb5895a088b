// Opens the leaf of a bound query in one segment. Thread-safe: no state.
#pragma once

#include <memory>

#include "pmem/status.h"
#include "query/algorithm/leaf/leaf.h"
#include "query/algorithm/leaf/segment_context.h"
#include "query/planning/bound_query.h"

namespace pmdex {

// query: of any kind but kNone. nullptr if the segment has no document of it, or if the context has
// timed out. kDataLoss if a posting list is damaged. The query and the context must outlive the
// leaf.
absl::StatusOr<std::unique_ptr<Leaf>> OpenLeaf(const BoundQuery& query, SegmentContext& context);

}  // namespace pmdex
