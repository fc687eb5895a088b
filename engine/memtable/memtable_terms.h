// Streams the terms of a frozen memtable and their postings, in order of (field, term).
#pragma once

#include <memory>
#include <span>

#include "engine/memtable/posting_kernels.h"
#include "engine/memtable/posting_slices.h"
#include "engine/memtable/terms/term_table.h"
#include "engine/segment/segment_input.h"

namespace pmdex {

// Streams these terms in this order. It prefetches the norms of short posting lists, which the
// segment writer looks up. All arguments, and what they view, outlive the stream.
std::unique_ptr<TermStream> NewMemtableTermStream(const TermTable& table,
                                                  const PostingSlices& slices,
                                                  std::span<const TermHandle> handles,
                                                  std::span<const SegmentField> fields,
                                                  bool positions, const PostingKernels& kernels);

}  // namespace pmdex
