#include "engine/segment/compressed/compressed_list_reader.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>

#include "engine/codec/compressed_unit.h"
#include "engine/segment/compressed/decoded_list.h"
#include "engine/segment/compressed/position_units.h"

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

// The number of all position entries: one for each token, and the page marks.
uint64_t PositionEntries(const PostingListView& list) {
  uint64_t entries = list.cf;
  for (const OverflowEntry& entry : list.overflow) entries += entry.position_entries - entry.freq;
  return entries;
}

}  // namespace

absl::Status ViewCompressed(const SegmentView& view, const DictionaryEntry& entry,
                            Representation representation, ListParts parts, ListLoading loading,
                            PostingListView& list) {
  const LanePostings lanes = entry.lanes;
  const bool is_bitset = representation == Representation::kCompressedBitset;
  if (IsBitset(list.df, list.doc_count) != is_bitset) {
    return EntryDamage(view, "not the representation of so many postings");
  }
  const bool has_blocks = list.df > kBlockPostings;
  if (lanes.postings_offset % UnitExtentAlignment(has_blocks) != 0) {
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
  }
  compressed.has_positions =
      parts == ListParts::kAll && (view.header().flags & kSegmentHasPositions) != 0;
  if (compressed.has_positions) {
    compressed.position_start = lanes.position_start;
    compressed.position_entries = PositionEntries(list);
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

absl::StatusOr<std::shared_ptr<const uint16_t[]>> DecodePositions(const SegmentView& view,
                                                                  uint64_t position_start,
                                                                  std::span<const uint8_t> freqs) {
  const size_t tokens = std::accumulate(freqs.begin(), freqs.end(), size_t{0});
  std::shared_ptr<uint16_t[]> entries = std::make_shared<uint16_t[]>(tokens);
  PositionUnits units(view);
  PMDEX_RETURN_IF_ERROR(units.ReadRuns(position_start, freqs, entries.get()));
  return entries;
}

absl::StatusOr<std::span<const DocId>> UnitDocuments::Next() {
  if (read_ == df_) return std::span<const DocId>();
  const uint64_t section_bytes = view_->RawSection(SectionKind::kCompressedUnits).size();
  const uint64_t end = section_bytes - std::min(section_bytes, kUnitTailBytes);
  std::optional<UnitView> unit;
  if (offset_ < end) {
    PMDEX_ASSIGN_OR_RETURN(const std::span<const std::byte> bytes,
                           view_->Slice(SectionKind::kCompressedUnits, offset_,
                                        std::min<uint64_t>(kUnitBytes, end - offset_)));
    unit = ParseUnit(bytes);
  }
  if (!unit.has_value() || unit->first_posting != read_ || unit->count > df_ - read_) {
    return view_->Damage(SectionKind::kCompressedUnits, offset_,
                         "this is not the unit that should be here");
  }
  DecodeDocids(*unit, *kernels_, docids_.data());
  read_ += unit->count;
  offset_ += kUnitBytes;
  return std::span<const DocId>(docids_.data(), unit->count);
}

}  // namespace pmdex
