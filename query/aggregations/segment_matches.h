// The live documents of one segment that match a query, a window at a time. With a minimum score it
// scores every match; otherwise it combines the documents of the clauses as bits. For one thread.
#pragma once

#include <cstdint>
#include <memory>

#include "pmem/status.h"
#include "query/algorithm/leaf/leaf.h"
#include "query/algorithm/search_context.h"
#include "query/cursor/cursor.h"
#include "query/kernel/window_bits.h"

namespace pmdex {

class SegmentMatches {
 public:
  // Both must outlive the result. kDataLoss if a posting list is damaged.
  static absl::StatusOr<SegmentMatches> Open(const SearchContext& search, SegmentContext& segment);

  // Replaces `bits` by the matches of a window. Windows ascend from call to call. The context of
  // the segment may have timed out afterwards: the matches are meaningless then.
  absl::Status Fill(uint32_t window, WindowBits& bits);

 private:
  SegmentMatches(const SearchContext& search, SegmentContext& segment)
      : search_(&search), segment_(&segment) {}

  const SearchContext* search_;
  SegmentContext* segment_;
  std::unique_ptr<Leaf> leaf_;  // nullptr: no matches, or `scored_` finds them
  CursorPointer scored_;
};

}  // namespace pmdex
