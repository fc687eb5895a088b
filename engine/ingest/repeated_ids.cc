#include "engine/ingest/repeated_ids.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "pmem/checksum.h"

namespace pmdex {
namespace {

// A hash of 63 bits, then whether the document is new: of one id, old documents sort before new.
using Mark = uint64_t;

absl::Status CollectMarks(const Segment& segment, bool is_new, uint64_t passes, uint64_t pass,
                          std::vector<Mark>& marks) {
  for (DocId doc = 0; doc < segment.doc_count(); ++doc) {
    PMDEX_ASSIGN_OR_RETURN(const std::string_view id, segment.doc_id(doc));
    const uint64_t hash = Xxh3(std::as_bytes(std::span(id)));
    if ((hash >> 32) * passes >> 32 != pass) continue;
    marks.push_back((hash & ~uint64_t{1}) | (is_new ? 1 : 0));
  }
  return segment.Health();
}

uint64_t CountInSorted(const std::vector<Mark>& marks) {
  uint64_t repeated = 0;
  for (size_t i = 1; i < marks.size(); ++i) {
    const bool same_id = (marks[i] | 1) == (marks[i - 1] | 1);
    if (same_id && (marks[i] & 1) != 0) ++repeated;
  }
  return repeated;
}

}  // namespace

absl::StatusOr<uint64_t> CountRepeatedIds(const Snapshot& snapshot,
                                          const std::set<uint64_t>& old_segments,
                                          size_t memory_bytes) {
  const uint64_t bytes = snapshot.doc_count() * sizeof(Mark);
  const uint64_t passes = bytes / std::max<uint64_t>(memory_bytes, sizeof(Mark)) + 1;
  std::vector<Mark> marks;
  uint64_t repeated = 0;
  for (uint64_t pass = 0; pass < passes; ++pass) {
    marks.clear();
    marks.reserve(snapshot.doc_count() / passes + snapshot.doc_count() / passes / 16 + 1024);
    for (const auto& segment : snapshot.segments()) {
      const bool is_new = !old_segments.contains(segment->segment_id());
      PMDEX_RETURN_IF_ERROR(CollectMarks(*segment, is_new, passes, pass, marks));
    }
    std::sort(marks.begin(), marks.end());
    repeated += CountInSorted(marks);
  }
  return repeated;
}

}  // namespace pmdex
