// Finds the sizes of all sections of a segment before any byte is written, in one pass over the
// terms. The file can then be allocated at once and written from front to back. No state; an input
// and its dictionary belong to one thread.
#pragma once

#include <cstdint>

#include "engine/segment/dictionary/term_dictionary_writer.h"
#include "engine/segment/segment_input.h"
#include "pmem/status.h"

namespace pmdex {

// The sizes of the sections. Those of postings, positions and overflow are upper bounds. Unless
// `counted`, they are right only if no position lies behind the first page (kPositionPage).
struct SegmentPlan {
  uint64_t meta_bytes = 0;
  uint64_t postings_bytes = 0;
  uint64_t positions_bytes = 0;
  uint64_t overflow_bytes = 0;
  uint64_t block_count = 0;        // elements of kBlockLastDocs and kBlockBounds
  uint32_t longest_list = 0;       // postings
  uint32_t longest_unit_list = 0;  // of the lists whose freqs are in kUnitFreqs
  uint64_t norms_bytes = 0;
  uint32_t doc_entry_bytes = 0;
  uint64_t doc_id_bytes = 0;  // of the ids that do not fit into their DocEntry
  uint64_t stored_bytes = 0;
  uint64_t columns_bytes = 0;  // PlanSegment leaves it 0
  uint64_t posting_count = 0;
  uint64_t token_count = 0;
  bool counted = false;
};

// Also adds all terms to `dictionary`, and the postings of inline lists with them. count: reads all
// other postings, too, which makes the bounds exact. Returns kInvalidArgument if the input is more
// than a segment can hold, and kInternal if the input contradicts itself.
absl::StatusOr<SegmentPlan> PlanSegment(SegmentInput& input, bool count,
                                        TermDictionaryWriter& dictionary);

// True if a document is so long that it probably has positions behind the first page. False if
// the input knows what these need.
bool HasLongDocuments(const SegmentInput& input);

// An upper bound of the size of the file.
uint64_t CapacityOf(const SegmentPlan& plan, const SegmentInput& input,
                    const TermDictionaryWriter& dictionary);

}  // namespace pmdex
