#include "engine/segment/verify/unit_verifier.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "engine/codec/compressed_unit.h"
#include "engine/codec/unit_check.h"
#include "engine/codec/value_unit.h"
#include "engine/segment/compressed/compressed_list_reader.h"
#include "engine/segment/file/offset_table.h"

namespace pmdex {
namespace {

constexpr SectionKind kUnits = SectionKind::kCompressedUnits;

// The bytes from the offset on, without the section's tail.
std::span<const std::byte> UnitsFrom(std::span<const std::byte> section, uint64_t offset) {
  const uint64_t end = section.size() - std::min<uint64_t>(section.size(), kUnitTailBytes);
  return offset >= end ? std::span<const std::byte>() : section.subspan(offset, end - offset);
}

}  // namespace

void UnitVerifier::VerifyList(const DictionaryEntry& entry, const PostingListView& list,
                              uint64_t position_entries) {
  const SegmentView& view = segment_.view();
  const std::span<const std::byte> section = view.RawSection(kUnits);
  const uint64_t offset = entry.lanes.postings_offset;
  if (Expect(offset == AlignUp(end_, UnitExtentAlignment(list.bits != nullptr)), kUnits, offset,
             "an extent does not follow that of the term before")) {
    findings_.CheckZero(section.subspan(end_, offset - end_), kUnits, end_,
                        "padding before an extent is not zero");
  }
  std::span<const UnitPlace> places;
  if (list.df > kBlockPostings) {
    const uint64_t first = entry.lanes.block_start - uint64_t{1};
    const auto found =
        view.Array<UnitPlace>(SectionKind::kUnitPlaces, first, list.block_last_docs.size() + 1);
    if (!Expect(found.ok(), SectionKind::kUnitPlaces, first * sizeof(UnitPlace), "missing")) return;
    places = *found;
    Expect(places[0].position_entries == static_cast<uint32_t>(position_entries),
           SectionKind::kUnitPlaces, first * sizeof(UnitPlace), "wrong number of position entries");
  }
  VerifyUnits(list, places,
              list.bits != nullptr ? offset + CompressedBitsBytes(list.doc_count) : offset);
}

void UnitVerifier::VerifyUnits(const PostingListView& list, std::span<const UnitPlace> places,
                               uint64_t begin) {
  const std::span<const std::byte> section = segment_.view().RawSection(kUnits);
  uint64_t offset = begin;
  for (uint32_t block = 0; uint64_t{block} * kBlockPostings < list.df; ++block) {
    const std::span<const std::byte> bytes = UnitsFrom(section, offset);
    const std::optional<UnitView> unit = ParseUnit(bytes);
    const uint32_t count = std::min(list.df - block * kBlockPostings, kBlockPostings);
    if (!Expect(unit.has_value() && unit->count == count, kUnits, offset,
                "this is not the unit that should be here")) {
      return;
    }
    Expect(HasRightCheck(bytes.first(unit->bytes), offset), kUnits, offset,
           "the unit's check does not match");
    const bool has_docs = unit->doc_width != 0 || unit->doc_exceptions != 0;
    Expect(list.bits == nullptr || !has_docs, kUnits, offset,
           "a unit of a list of bits has docids");
    if (!places.empty()) {
      const uint32_t entries = block == 0 || list.groups == nullptr
                                   ? 0
                                   : list.groups[block * (kBlockPostings / kPositionGroup) - 1];
      ExpectPlace(places[block + 1], {static_cast<uint32_t>(offset - begin), entries});
    }
    offset += unit->bytes;
  }
  end_ = offset;
  if (places.empty()) return;
  ExpectPlace(places[0], {static_cast<uint32_t>(offset - begin), places[0].position_entries});
}

void UnitVerifier::ExpectPlace(const UnitPlace& place, const UnitPlace& expected) {
  const auto* const first = segment_.view().RawArray<UnitPlace>(SectionKind::kUnitPlaces).data();
  Expect(place.offset == expected.offset && place.position_entries == expected.position_entries,
         SectionKind::kUnitPlaces, static_cast<uint64_t>(&place - first) * sizeof(UnitPlace),
         "not the place of a block");
}

void UnitVerifier::Finish(uint64_t entries) {
  VerifyTail(kUnits, end_);
  if (segment_.has_positions()) VerifyPositionUnits(entries);
}

void UnitVerifier::VerifyPositionUnits(uint64_t entries) {
  const SegmentView& view = segment_.view();
  constexpr SectionKind kKind = SectionKind::kPositionUnits;
  constexpr SectionKind kStarts = SectionKind::kPositionUnitStarts;
  const std::span<const std::byte> starts = view.RawSection(kStarts);
  const uint64_t units = (entries + kUnitValues - 1) / kUnitValues;
  if (!Expect(starts.size() == (units + 1) * kTableOffsetBytes, kStarts, 0,
              "not one start for each 256 entries")) {
    return;
  }
  uint64_t end = 0;
  for (uint64_t unit = 0; unit < units; ++unit) {
    const std::span<const std::byte> bytes = UnitsFrom(view.RawSection(kKind), end);
    const uint64_t next = TableOffset(starts, unit + 1);
    if (!Expect(TableOffset(starts, unit) == end && next > end && next - end <= bytes.size(),
                kStarts, unit * kTableOffsetBytes, "not the place of a unit")) {
      return;
    }
    const uint64_t count = std::min<uint64_t>(entries - unit * kUnitValues, kUnitValues);
    VerifyPositionUnit(bytes.first(next - end), end, count);
    end = next;
  }
  Expect(units != 0 || TableOffset(starts, 0) == 0, kStarts, 0, "not the end of the units");
  VerifyTail(kKind, end);
}

// count: of the values that the unit must have, and no others.
void UnitVerifier::VerifyPositionUnit(std::span<const std::byte> bytes, uint64_t offset,
                                      uint64_t count) {
  constexpr SectionKind kKind = SectionKind::kPositionUnits;
  const std::optional<ValueUnitView> unit = ParseValueUnit(bytes);
  if (!Expect(unit.has_value() && unit->count == count, kKind, offset,
              "this is not the unit that should be here")) {
    return;
  }
  Expect(HasRightCheck(bytes, offset), kKind, offset, "the unit's check does not match");
  size_t ones = 0;
  for (const uint8_t byte : std::span(unit->high, unit->high_bytes)) {
    ones += static_cast<size_t>(std::popcount(byte));
  }
  Expect(ones == count && unit->high[unit->high_bytes - 1] != 0, kKind, offset,
         "the unit has other values than it says");
}

void UnitVerifier::VerifyTail(SectionKind kind, uint64_t end) {
  const std::span<const std::byte> section = segment_.view().RawSection(kind);
  Expect(section.size() == end + kUnitTailBytes, kind, end, "the units end here, the section not");
  const uint64_t tail = std::min<uint64_t>(end, section.size());
  findings_.CheckZero(section.subspan(tail), kind, tail, "the section's tail is not zero");
}

}  // namespace pmdex
