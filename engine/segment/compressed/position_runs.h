// Walks over all position entries of a segment, block by block in the order in which they lie, for
// the conversions between the tiers. Belongs to one thread.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "engine/segment/compressed/segment_copier.h"
#include "engine/segment/segment.h"
#include "pmem/status.h"

namespace pmdex {

// The position entries of the postings of a block, one posting after the other.
struct PositionRuns {
  std::span<const uint16_t> entries;
  std::span<const uint32_t> counts;  // of each posting
};

// Calls visit(runs) for each block of a list.
template <typename F>
absl::Status ForEachBlockOfRuns(const Segment& segment, const DictionaryEntry& entry, F visit) {
  PMDEX_ASSIGN_OR_RETURN(const PostingListView list, segment.Postings(entry, ListParts::kAll));
  std::array<uint32_t, kBlockPostings> counts;
  uint64_t at = 0;
  size_t run = 0;
  for (uint32_t first = 0; first < list.df; first += kBlockPostings) {
    const uint32_t postings = std::min(list.df - first, kBlockPostings);
    if (!list.is_inline && !list.VerifyPositions(first, first + postings)) {
      return segment.view().Damage(SectionKind::kPositions, "entries of a list are damaged");
    }
    uint64_t sum = 0;
    for (uint32_t i = 0; i < postings; ++i) {
      counts[i] = list.freqs[first + i];
      if (counts[i] == kFreqEscape && run < list.overflow.size()) {
        counts[i] = list.overflow[run++].position_entries;
      }
      sum += counts[i];
    }
    if (sum > list.positions.size() - at) {
      return segment.view().Damage(SectionKind::kPositions, "a list has too few entries");
    }
    visit(PositionRuns{list.positions.subspan(at, sum), std::span(counts).first(postings)});
    at += sum;
    if (first + postings == list.df) break;  // the next block may not have a number
  }
  return absl::OkStatus();
}

// The same for all lists whose positions lie in their section. Returns kDataLoss if entries are
// damaged or do not follow one another.
template <typename F>
absl::Status ForEachBlockOfRuns(const Segment& segment, F visit) {
  uint64_t end = 0;
  return ForEachList(segment, [&](const DictionaryEntry& entry, uint32_t) {
    const Representation representation = entry.representation;
    if (representation == Representation::kInlineWithPositions) return absl::OkStatus();
    const uint64_t start = representation == Representation::kInline ? entry.inlined.position_start
                                                                     : entry.lanes.position_start;
    if (start != end) {
      return segment.view().Damage(SectionKind::kPositions,
                                   "entries do not follow those of the term before");
    }
    return ForEachBlockOfRuns(segment, entry, [&](const PositionRuns& runs) {
      end += runs.entries.size();
      visit(runs);
    });
  });
}

}  // namespace pmdex
