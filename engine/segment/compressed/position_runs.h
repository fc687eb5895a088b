// Walks over all position entries of a segment, posting by posting in the order in which they lie,
// for the conversions between the tiers. Belongs to one thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "engine/segment/compressed/segment_copier.h"
#include "engine/segment/segment.h"
#include "pmem/status.h"

namespace pmdex {

// Calls visit(entries) with the position entries of each posting of a list.
template <typename F>
absl::Status ForEachRun(const Segment& segment, const DictionaryEntry& entry, F visit) {
  PMDEX_ASSIGN_OR_RETURN(const PostingListView list, segment.Postings(entry, ListParts::kAll));
  uint64_t at = 0;
  size_t run = 0;
  for (uint32_t i = 0; i < list.df; ++i) {
    if (!list.is_inline && i % kBlockPostings == 0 &&
        !list.VerifyPositions(i, std::min<uint32_t>(list.df - i, kBlockPostings) + i)) {
      return segment.view().Damage(SectionKind::kPositions, "entries of a list are damaged");
    }
    uint64_t count = list.freqs[i];
    if (count == kFreqEscape && run < list.overflow.size()) {
      count = list.overflow[run++].position_entries;
    }
    if (count > list.positions.size() - at) {
      return segment.view().Damage(SectionKind::kPositions, "a list has too few entries");
    }
    visit(list.positions.subspan(at, count));
    at += count;
  }
  return absl::OkStatus();
}

// The same for all lists whose positions lie in their section. Returns kDataLoss if entries are
// damaged or do not follow one another.
template <typename F>
absl::Status ForEachRun(const Segment& segment, F visit) {
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
    return ForEachRun(segment, entry, [&](std::span<const uint16_t> entries) {
      end += entries.size();
      visit(entries);
    });
  });
}

}  // namespace pmdex
