#include "engine/segment/verify/unit_verifier.h"

#include <algorithm>
#include <optional>

#include "engine/codec/compressed_unit.h"
#include "engine/codec/value_unit.h"
#include "engine/segment/compressed/compressed_list_reader.h"

namespace pmdex {
namespace {

constexpr SectionKind kUnits = SectionKind::kCompressedUnits;

// The bytes of the unit at the offset, without those of other lists and of the section's tail.
std::span<const std::byte> UnitAt(std::span<const std::byte> section, uint64_t offset) {
  const uint64_t end = section.size() - std::min<uint64_t>(section.size(), kUnitTailBytes);
  if (offset >= end) return {};
  return section.subspan(offset, std::min<uint64_t>(kUnitBytes, end - offset));
}

}  // namespace

void UnitVerifier::VerifyList(const DictionaryEntry& entry, const PostingListView& list,
                              std::span<const DocId> docids, uint64_t position_entries) {
  const SegmentView& view = segment_.view();
  const std::span<const std::byte> section = view.RawSection(kUnits);
  const uint64_t offset = entry.lanes.postings_offset;
  const bool has_blocks = list.df > kBlockPostings;
  if (Expect(offset == AlignUp(end_, UnitExtentAlignment(has_blocks)), kUnits, offset,
             "an extent does not follow that of the term before")) {
    findings_.CheckZero(section.subspan(end_, offset - end_), kUnits, end_,
                        "padding before an extent is not zero");
  }
  uint64_t begin = offset;
  if (list.bits != nullptr) {
    const uint64_t used = BitsetWords(list.doc_count) * sizeof(uint64_t) +
                          (BitsetRuns(list.doc_count) + 1) * sizeof(uint32_t);
    begin += CompressedBitsBytes(list.doc_count);
    findings_.CheckZero(section.subspan(offset + used, begin - offset - used), kUnits,
                        offset + used, "padding behind the ranks is not zero");
  }
  std::span<const UnitPlace> places;
  if (has_blocks) {
    const uint64_t first = entry.lanes.block_start - uint64_t{1};
    const auto found =
        view.Array<UnitPlace>(SectionKind::kUnitPlaces, first, list.block_last_docs.size() + 1);
    if (!Expect(found.ok(), SectionKind::kUnitPlaces, first * sizeof(UnitPlace), "missing")) return;
    places = *found;
    Expect(places[0].position_entries == static_cast<uint32_t>(position_entries),
           SectionKind::kUnitPlaces, first * sizeof(UnitPlace), "wrong number of position entries");
  }
  VerifyUnits(list, docids, places, begin);
}

void UnitVerifier::VerifyUnits(const PostingListView& list, std::span<const DocId> docids,
                               std::span<const UnitPlace> places, uint64_t begin) {
  const std::span<const std::byte> section = segment_.view().RawSection(kUnits);
  uint32_t number = 0;
  for (uint32_t at = 0; at < list.df; ++number) {
    const uint64_t offset = begin + number * kUnitBytes;
    const std::span<const std::byte> bytes = UnitAt(section, offset);
    const std::optional<UnitView> unit = ParseUnit(bytes);
    if (!Expect(unit.has_value() && unit->first_posting == at && unit->count <= list.df - at,
                kUnits, offset, "this is not the unit that should be here")) {
      return;
    }
    const size_t size = SizeOfUnit(*unit, list.df);
    if (!Expect(size <= bytes.size(), kUnits, offset, "the unit is cut off")) return;
    Expect(HasRightCheck(bytes.first(size)), kUnits, offset, "the unit's check does not match");
    findings_.CheckZero(bytes.subspan(unit->bytes, size - unit->bytes), kUnits,
                        offset + unit->bytes, "the rest of a unit is not zero");
    const DocId before = at == 0 ? 0xffffffff : docids[at - 1];
    Expect(unit->doc_before == (list.bits != nullptr ? 0 : before), kUnits, offset,
           "not the docid before the unit");
    for (uint32_t block = (at + kBlockPostings - 1) / kBlockPostings;
         !places.empty() && uint64_t{block} * kBlockPostings < at + unit->count; ++block) {
      const UnitPlace& place = places[block + 1];
      const uint32_t entries = block == 0 || list.groups == nullptr
                                   ? 0
                                   : list.groups[block * (kBlockPostings / kPositionGroup) - 1];
      Expect(place.unit == number && place.position_entries == entries, SectionKind::kUnitPlaces,
             static_cast<uint64_t>(
                 &place - segment_.view().RawArray<UnitPlace>(SectionKind::kUnitPlaces).data()) *
                 sizeof(UnitPlace),
             "not the place of a block");
    }
    at += unit->count;
    end_ = offset + size;
  }
  Expect(places.empty() || places[0].unit == number, SectionKind::kUnitPlaces, 0,
         "wrong number of units");
}

void UnitVerifier::Finish(uint64_t entries) {
  VerifyTail(kUnits, end_);
  if (segment_.has_positions()) VerifyPositionUnits(entries);
}

void UnitVerifier::VerifyPositionUnits(uint64_t entries) {
  const SegmentView& view = segment_.view();
  constexpr SectionKind kKind = SectionKind::kPositionUnits;
  const std::span<const std::byte> section = view.RawSection(kKind);
  const auto starts = view.RawArray<uint32_t>(SectionKind::kPositionUnitStarts);
  Expect(view.RawSection(SectionKind::kPositionUnitStarts).size() ==
             (entries + kUnitPostings - 1) / kUnitPostings * sizeof(uint32_t),
         SectionKind::kPositionUnitStarts, 0, "not one start for each 256 entries");
  uint64_t end = 0;
  uint32_t number = 0;
  for (uint64_t at = 0; at < entries; ++number) {
    const uint64_t offset = number * kUnitBytes;
    const std::span<const std::byte> bytes = UnitAt(section, offset);
    const std::optional<ValueUnitView> unit = ParseValueUnit(bytes);
    if (!Expect(unit.has_value() && unit->first_value == static_cast<uint32_t>(at) &&
                    unit->count <= entries - at,
                kKind, offset, "this is not the unit that should be here")) {
      return;
    }
    const bool is_last = at + unit->count == entries;
    const size_t size = is_last ? AlignUp(unit->bytes, kUnitAlignment) : kUnitBytes;
    if (!Expect(size <= bytes.size(), kKind, offset, "the unit is cut off")) return;
    Expect(HasRightCheck(bytes.first(size)), kKind, offset, "the unit's check does not match");
    findings_.CheckZero(bytes.subspan(unit->bytes, size - unit->bytes), kKind, offset + unit->bytes,
                        "the rest of a unit is not zero");
    const uint64_t start = (at + kUnitPostings - 1) / kUnitPostings;
    if (start * kUnitPostings < at + unit->count && start < starts.size()) {
      Expect(starts[start] == number, SectionKind::kPositionUnitStarts, start * sizeof(uint32_t),
             "not the unit of the entry");
    }
    at += unit->count;
    end = offset + size;
  }
  VerifyTail(kKind, end);
}

void UnitVerifier::VerifyTail(SectionKind kind, uint64_t end) {
  const std::span<const std::byte> section = segment_.view().RawSection(kind);
  Expect(section.size() == end + kUnitTailBytes, kind, end, "the units end here, the section not");
  const uint64_t tail = std::min<uint64_t>(end, section.size());
  findings_.CheckZero(section.subspan(tail), kind, tail, "the section's tail is not zero");
}

}  // namespace pmdex
