// What all parts of one search share in one segment: the segment, the kernels, and the cursor
// context, which receives damage and knows the deadline. One thread uses a SegmentContext. It
// outlives the leaves and searches that are made with it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/segment/segment.h"
#include "query/cursor/cursor.h"
#include "query/expansion/shared_expansions.h"
#include "query/kernel/kernels.h"

namespace pmdex {

struct SegmentContext {
  const Segment& segment;
  size_t index = 0;       // of the segment in the snapshot
  uint64_t doc_base = 0;  // number in index order of the segment's document 0
  const QueryKernels& kernels;
  SharedExpansions& expansions;
  CursorContext cursor;
};

}  // namespace pmdex
