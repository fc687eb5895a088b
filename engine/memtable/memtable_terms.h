// The postings of a frozen memtable, decoded in order of (field, term).
#pragma once

#include <memory>
#include <span>

#include "engine/memtable/posting_slices.h"
#include "engine/memtable/terms/term_table.h"
#include "engine/segment/segment_input.h"

namespace pmdex {

// Of these terms, one after the other. The norms of the fields are prefetched, for a reader that
// looks up those of short lists. All arguments, and what they view, outlive the stream.
std::unique_ptr<TermStream> NewMemtableTermStream(const TermTable& table,
                                                  const PostingSlices& slices,
                                                  std::span<const TermHandle> handles,
                                                  std::span<const SegmentField> fields,
                                                  bool positions);

}  // namespace pmdex
