// How large every section of a segment will be, found in one pass over the terms before a byte is
// written: the file is allocated once and written front to back. No state; an input and its
// dictionary belong to one thread.
#pragma once

#include <cstdint>

#include "engine/segment/dictionary/term_dictionary_writer.h"
#include "engine/segment/segment_input.h"
#include "pmem/status.h"

namespace pmdex {

// Section sizes. Those of postings, positions and overflow are upper bounds; without counting
// they hold as long as no position lies beyond the first page.
struct SegmentPlan {
  uint64_t meta_bytes = 0;
  uint64_t postings_bytes = 0;
  uint64_t positions_bytes = 0;
  uint64_t overflow_bytes = 0;
  uint64_t block_count = 0;
  uint32_t longest_list = 0;  // postings
  uint64_t norms_bytes = 0;
  uint32_t doc_entry_bytes = 0;
  uint64_t doc_id_bytes = 0;  // of ids that do not fit into their entries
  uint64_t stored_bytes = 0;
  uint64_t posting_count = 0;
  uint64_t token_count = 0;
  bool counted = false;
};

// Also adds the terms to `dictionary`, with the entries of lists that fit into them. count: read
// the other postings too, and make the bounds exact. kInvalidArgument when the input is more than a
// segment holds, kInternal when it contradicts itself.
absl::StatusOr<SegmentPlan> PlanSegment(SegmentInput& input, bool count,
                                        TermDictionaryWriter& dictionary);

// Whether a document is long enough for positions beyond the first page to be likely.
bool HasLongDocuments(const SegmentInput& input);

// Bytes of file that the plan needs at most.
uint64_t CapacityOf(const SegmentPlan& plan, const SegmentInput& input,
                    const TermDictionaryWriter& dictionary);

}  // namespace pmdex
