#include "query/cursor/verified_lists.h"

#include <algorithm>

namespace pmdex {
namespace {

constexpr uint64_t kVerifiedBytes = 256 << 10;
constexpr uint64_t kVerifiedWork = kVerifiedBytes / 100;  // a page's checksum takes some 400 ns

// Verifies the range piece by piece until the deadline. Does not report a range outside the section
// or damage: the reader of the range finds both again.
void VerifyInTime(const SegmentView& view, SectionKind kind, uint64_t offset, uint64_t size_bytes,
                  CursorContext& context) {
  const uint64_t section_bytes = view.RawSection(kind).size();
  if (offset >= section_bytes) return;
  const uint64_t end = offset + std::min(size_bytes, section_bytes - offset);
  if (view.WasVerified(kind, offset, end - offset)) return;
  for (; offset < end && !context.IsOver(kVerifiedWork);
       offset += std::min(kVerifiedBytes, end - offset)) {
    if (!view.Verify(kind, offset, std::min(kVerifiedBytes, end - offset)).ok()) return;
  }
}

}  // namespace

absl::StatusOr<PostingListView> PostingsInTime(const Segment& segment, const DictionaryEntry& entry,
                                               ListParts parts, CursorContext& context,
                                               ListLoading loading) {
  constexpr uint32_t kFewPostings = 1 << 16;  // verified at once
  const uint32_t df = entry.df;
  if (df > kFewPostings && df <= segment.doc_count()) {
    const SegmentView& view = segment.view();
    const bool positions = parts == ListParts::kAll && segment.has_positions();
    const uint64_t blocks = (uint64_t{df} + kBlockPostings - 1) / kBlockPostings;
    const uint64_t first_block = entry.lanes.block_start;
    const bool unit_freqs = HasUnitFreqs(df, entry.cf, entry.lanes.overflow_start);
    // Blocks that are decoded one by one are verified one by one.
    const bool by_block = segment.is_compressed() && loading == ListLoading::kByBlock;
    const uint64_t lanes_bytes =
        LayOutPostings(df, unit_freqs, segment.doc_count(), positions).size_bytes;
    // The units of a list take about a third of its lanes.
    VerifyInTime(view, view.extents(), entry.lanes.postings_offset,
                 by_block                  ? 0
                 : segment.is_compressed() ? lanes_bytes / 3
                                           : lanes_bytes,
                 context);
    if (unit_freqs) VerifyInTime(view, SectionKind::kUnitFreqs, 0, UnitFreqsBytes(df), context);
    VerifyInTime(view, SectionKind::kBlockLastDocs, first_block * sizeof(uint32_t),
                 blocks * sizeof(uint32_t), context);
    VerifyInTime(view, SectionKind::kBlockBounds, first_block * sizeof(BoundPoints),
                 blocks * sizeof(BoundPoints), context);
    if (context.timed_out) return PostingListView();
  }
  return segment.Postings(entry, parts, loading);
}

absl::StatusOr<std::span<const uint8_t>> NormsInTime(const Segment& segment, FieldId field,
                                                     CursorContext& context) {
  const uint64_t row_bytes = AlignUp(segment.doc_count(), kNormRowAlignment);
  VerifyInTime(segment.view(), SectionKind::kNorms, field * row_bytes, row_bytes, context);
  if (context.timed_out) return std::span<const uint8_t>();
  return segment.norms(field);
}

}  // namespace pmdex
