// What all parts of one search share: the bound query, the plan, the kernels and the deadline.
// Immutable, so that any number of threads may use one SearchContext.
#pragma once

#include <cstddef>

#include "engine/store/placement/segment_nodes.h"
#include "query/algorithm/leaf/segment_context.h"
#include "query/cursor/snapshot_context.h"
#include "query/deadline.h"
#include "query/kernel/kernels.h"
#include "query/planning/query_binder.h"
#include "query/planning/search_plan.h"

namespace pmdex {

struct SearchContext {
  const QueryBinding& binding;
  const SearchPlan& plan;  // made for `binding`
  const QueryKernels& kernels = BestQueryKernels();
  Deadline deadline = std::nullopt;
  const SegmentNodes* nodes = nullptr;  // that threads are bound to; nullptr: to none
};

// The context of one segment of the snapshot; `search` must outlive it.
inline SegmentContext SegmentContextOf(const SearchContext& search, size_t index) {
  const Segment& segment = *search.binding.snapshot->segments()[index];
  return {segment,
          index,
          search.binding.snapshot->doc_base(index),
          search.kernels,
          *search.binding.expansions,
          CursorContextOf(*search.binding.snapshot, index, search.deadline)};
}

}  // namespace pmdex
