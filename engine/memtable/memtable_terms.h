// The postings of a frozen memtable, decoded in order of (field, term).
#pragma once

#include <memory>
#include <span>

#include "engine/memtable/term_sort.h"
#include "engine/memtable/term_table.h"
#include "engine/segment/segment_input.h"

namespace pmdex {

// All arguments outlive the stream.
std::unique_ptr<TermStream> NewMemtableTermStream(const TermTable& table,
                                                  const PostingSlices& slices,
                                                  std::span<const SortedTerm> terms,
                                                  bool positions);

}  // namespace pmdex
