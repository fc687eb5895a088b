// Finds the documents that have one of many ids. A segment has no index by id, so this reads the
// ids of all documents once, with several threads, and looks each up in a small table of the wanted
// ids. For look-ups of one id after the other, Snapshot::FindDocument is faster.
//
// Stateless; thread-safe. The segments may be of any generation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engine/segment/format.h"
#include "engine/store/deletions/live_segment.h"
#include "pmem/status.h"

namespace pmdex {

// Documents [begin, end) of segments[segment].
struct DocRange {
  size_t segment = 0;
  DocId begin = 0;
  DocId end = 0;
};

// Calls visit(range) for ranges that make up all documents of the segments, on so many threads at a
// time. Returns the first error of a call; the other ranges may then be left out.
absl::Status VisitRanges(std::span<const LiveSegment> segments, size_t threads,
                         const std::function<absl::Status(const DocRange&)>& visit);

struct IdMatches {
  std::vector<std::vector<DocId>> docs;  // indexed like the segments; in any order
  uint64_t missing = 0;                  // different wanted ids that no live document has
};

// All live documents with one of these ids, which may repeat. Takes about 24 bytes of memory for
// each id, and 4 for each document that it finds. Returns kDataLoss if a segment is damaged.
absl::StatusOr<IdMatches> FindIds(std::span<const LiveSegment> segments,
                                  std::span<const std::string> ids, size_t threads);

}  // namespace pmdex
