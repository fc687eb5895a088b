#include "engine/segment/compressed/compressed_list_reader.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <vector>

#include "engine/codec/compressed_unit.h"
#include "engine/segment/compressed/decoded_list.h"
#include "engine/segment/compressed/position_units.h"
#include "engine/segment/dictionary/term_line.h"
#include "engine/segment/file/offset_table.h"

namespace pmdex {
namespace {

absl::Status EntryDamage(const SegmentView& view, std::string_view what) {
  return view.Damage(SectionKind::kDictionaryEntries, what);
}

absl::Status ViewBits(const SegmentView& view, uint64_t offset, PostingListView& list) {
  PMDEX_ASSIGN_OR_RETURN(const auto bytes, view.Slice(SectionKind::kCompressedUnits, offset,
                                                      CompressedBitsBytes(list.doc_count)));
  list.bits = reinterpret_cast<const uint64_t*>(bytes.data());
  list.ranks = reinterpret_cast<const uint32_t*>(bytes.data() +
                                                 BitsetWords(list.doc_count) * sizeof(uint64_t));
  return absl::OkStatus();
}

// Longer lists are not fetched whole: a search may need few blocks of them.
constexpr uint64_t kMostFetchedBytes = 64 << 10;

// Cuts the range to the section.
void AppendRange(const SegmentView& view, SectionKind kind, uint64_t offset, uint64_t size_bytes,
                 std::vector<BlockCache::Range>& ranges) {
  const std::span<const std::byte> section = view.RawSection(kind);
  if (view.uncached_units() == nullptr || offset >= section.size()) return;
  size_bytes = std::min<uint64_t>(size_bytes, section.size() - offset);
  if (size_bytes > kMostFetchedBytes) return;
  const auto begin = static_cast<uint64_t>(section.data() - view.bytes().data());
  ranges.push_back({view.uncached_units()->file.get(), begin + offset, size_bytes});
}

}  // namespace

uint64_t PositionEntriesOf(const PostingListView& list) {
  uint64_t entries = list.cf;
  for (const OverflowEntry& entry : list.overflow) entries += entry.position_entries - entry.freq;
  return entries;
}

absl::Status ViewCompressed(const SegmentView& view, const DictionaryEntry& entry,
                            Representation representation, ListParts parts, ListLoading loading,
                            PostingListView& list) {
  const LanePostings lanes = entry.lanes;
  const bool is_bitset = representation == Representation::kCompressedBitset;
  if (IsBitset(list.df, list.doc_count) != is_bitset) {
    return EntryDamage(view, "not the representation of so many postings");
  }
  const bool has_blocks = list.df > kBlockPostings;
  if (lanes.postings_offset % UnitExtentAlignment(is_bitset) != 0) {
    return EntryDamage(view, "postings are not aligned");
  }
  CompressedList compressed;
  compressed.df = list.df;
  compressed.units_offset = lanes.postings_offset;
  compressed.has_docids = !is_bitset;
  compressed.overflow = list.overflow;
  if (is_bitset) {
    PMDEX_RETURN_IF_ERROR(ViewBits(view, lanes.postings_offset, list));
    compressed.units_offset += CompressedBitsBytes(list.doc_count);
  }
  if (has_blocks) {
    PMDEX_ASSIGN_OR_RETURN(compressed.places,
                           view.Array<UnitPlace>(SectionKind::kUnitPlaces, lanes.block_start,
                                                 list.block_last_docs.size()));
    compressed.block_last_docs = list.block_last_docs;
  }
  compressed.has_positions =
      parts == ListParts::kAll && (view.header().flags & kSegmentHasPositions) != 0;
  if (compressed.has_positions) {
    compressed.position_start = lanes.position_start;
    compressed.position_entries = PositionEntriesOf(list);
    const uint64_t most = PositionUnits::MostEntries(view);
    if (lanes.position_start > most || compressed.position_entries > most - lanes.position_start) {
      return EntryDamage(view, "positions lie outside");
    }
  }
  list.bounds = lanes.bounds;
  list.decoded = std::make_shared<DecodedList>(view, compressed);
  list.docids = list.decoded->docids();
  list.freqs = list.decoded->freqs();
  list.codes = list.decoded->codes();
  list.groups = list.decoded->groups();
  list.positions = list.decoded->positions();
  list.position_start = compressed.position_start;
  if (loading == ListLoading::kWhole || !has_blocks) list.decoded->Load(0, list.df);
  return list.decoded->status();
}

void AppendUnitRanges(const SegmentView& view, const DictionaryEntry& entry,
                      std::vector<BlockCache::Range>& ranges) {
  const Representation representation = entry.representation;
  if (!IsCompressed(representation)) return;
  const uint32_t df = entry.df;
  const uint32_t doc_count = view.header().doc_count;
  const uint64_t bits_bytes =
      representation == Representation::kCompressedBitset ? CompressedBitsBytes(doc_count) : 0;
  const uint64_t size_bytes = UsualUnitBytes(df);
  AppendRange(view, SectionKind::kCompressedUnits, entry.lanes.postings_offset + bits_bytes,
              size_bytes, ranges);
}

void AppendPositionRanges(const SegmentView& view, const DictionaryEntry& entry,
                          std::vector<BlockCache::Range>& ranges) {
  const Representation representation = entry.representation;
  const bool is_inline = representation == Representation::kInline;
  if (view.uncached_units() == nullptr || (!is_inline && !IsCompressed(representation))) return;
  const uint64_t start = is_inline ? entry.inlined.position_start : entry.lanes.position_start;
  const uint64_t units = PositionUnits::MostEntries(view) / kUnitValues;
  const uint64_t first = start / kUnitValues;
  const uint64_t end = std::min((start + entry.cf) / kUnitValues + 1, units);
  if (first >= end) return;
  const auto starts = view.Slice(SectionKind::kPositionUnitStarts, first * kTableOffsetBytes,
                                 (end - first + 1) * kTableOffsetBytes);
  if (!starts.ok()) return;
  const uint64_t begin = TableOffset(*starts, 0);
  const uint64_t end_offset = TableOffset(*starts, end - first);
  if (begin >= end_offset) return;
  AppendRange(view, SectionKind::kPositionUnits, begin, end_offset - begin, ranges);
}

absl::StatusOr<std::shared_ptr<const uint16_t[]>> DecodePositions(const SegmentView& view,
                                                                  uint64_t position_start,
                                                                  std::span<const uint8_t> freqs) {
  const size_t tokens = std::accumulate(freqs.begin(), freqs.end(), size_t{0});
  std::shared_ptr<uint16_t[]> entries = std::make_shared<uint16_t[]>(tokens);
  PositionUnits units(view);
  const std::vector<uint32_t> counts(freqs.begin(), freqs.end());
  PMDEX_RETURN_IF_ERROR(
      units.ReadRuns(position_start, counts, (uint64_t{1} << counts.size()) - 1, entries.get()));
  return entries;
}

absl::StatusOr<std::span<const DocId>> UnitDocuments::Next() {
  if (read_ == df_) return std::span<const DocId>();
  const uint32_t count = std::min(df_ - read_, kUnitPostings);
  PMDEX_ASSIGN_OR_RETURN(const std::span<const std::byte> bytes,
                         units_.Read(offset_, MostUnitBytes(count)));
  const std::optional<UnitView> unit = ParseUnit(bytes);
  if (!unit.has_value() || unit->count != count ||
      !units_.IsSound(bytes.first(unit->bytes), offset_)) {
    return units_.WrongUnit(offset_);
  }
  DecodeDocids(*unit, before_, *kernels_, docids_.data());
  before_ = docids_[count - 1];
  read_ += count;
  offset_ += unit->bytes;
  return std::span<const DocId>(docids_.data(), unit->count);
}

}  // namespace pmdex
