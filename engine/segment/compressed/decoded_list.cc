#include "engine/segment/compressed/decoded_list.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <span>

#include "engine/codec/compressed_unit.h"

namespace pmdex {
namespace {

// Behind each lane, for loads of whole vectors.
constexpr uint64_t kLaneSlack = 64;

constexpr uint64_t LaneBytes(uint64_t elements, uint64_t element_bytes) {
  return AlignUp(elements * element_bytes, 64) + kLaneSlack;
}

}  // namespace

DecodedList::DecodedList(const SegmentView& view, const CompressedList& list)
    : view_(&view),
      list_(list),
      kernels_(&BestUnitKernels()),
      loaded_(list.df / kBlockPostings / 64 + 1),
      units_(view, SectionKind::kCompressedUnits),
      position_units_(view) {
  const uint64_t groups = uint64_t{list.df} / kPositionGroup + 1;
  const uint64_t docids_bytes = list.has_docids ? LaneBytes(list.df, sizeof(DocId)) : 0;
  const uint64_t bytes_bytes = LaneBytes(list.df, 1);
  const uint64_t groups_bytes = list.has_positions ? LaneBytes(groups, sizeof(uint32_t)) : 0;
  lanes_ = LaneMemory(docids_bytes + 2 * bytes_bytes + groups_bytes);
  std::byte* at = lanes_.data();
  if (list.has_docids) docids_ = reinterpret_cast<DocId*>(at);
  at += docids_bytes;
  freqs_ = reinterpret_cast<uint8_t*>(at);
  codes_ = reinterpret_cast<uint8_t*>(at + bytes_bytes);
  std::memset(freqs_ + list.df, 0, bytes_bytes - list.df);
  std::memset(codes_ + list.df, 0, bytes_bytes - list.df);
  at += 2 * bytes_bytes;
  if (!list.has_positions) return;
  groups_ = reinterpret_cast<uint32_t*>(at);
  position_lane_ = LaneMemory((list.position_entries + kLaneSlack) * sizeof(uint16_t));
  positions_ = reinterpret_cast<uint16_t*>(position_lane_.data());
}

// Decodes the block and those behind it, up to `last`, that were not decoded before. Returns the
// last one of them.
uint32_t DecodedList::LoadFrom(uint32_t block, uint32_t last) {
  const uint32_t first = block;
  while (block < last && !IsLoaded(block + 1)) ++block;
  if (!list_.places.empty() && block + 1 < list_.places.size()) {
    units_.Expect(list_.units_offset + list_.places[block + 1].offset);
  }
  for (uint32_t i = first; i <= block; ++i) {
    loaded_[i / 64] |= uint64_t{1} << (i % 64);
    const absl::Status status = DecodeBlock(i);
    if (!status.ok()) {
      Clear(i * kBlockPostings, EndOf(i));
      view_->ReportDamage(status);
      if (status_.ok()) status_ = status;
    }
  }
  if (groups_ != nullptr) {
    const uint64_t entries = list_.places.empty() ? 0 : list_.places[first].position_entries;
    FillGroups(first * kBlockPostings, EndOf(block), entries);
  }
  return block;
}

absl::Status DecodedList::DecodeBlock(uint32_t block) {
  const uint32_t first = block * kBlockPostings;
  const uint32_t count = EndOf(block) - first;
  uint64_t offset = list_.units_offset;
  uint64_t most_bytes = MostUnitBytes(count);
  if (!list_.places.empty()) {
    offset += list_.places[block].offset;
    if (block + 1 < list_.places.size()) {
      const uint32_t size_bytes = list_.places[block + 1].offset - list_.places[block].offset;
      most_bytes = std::min<uint64_t>(most_bytes, size_bytes);
    }
  }
  PMDEX_ASSIGN_OR_RETURN(const std::span<const std::byte> bytes, units_.Read(offset, most_bytes));
  const std::optional<UnitView> unit = ParseUnit(bytes);
  if (!unit.has_value() || unit->count != count ||
      !units_.IsSound(bytes.first(unit->bytes), offset)) {
    return units_.WrongUnit(offset);
  }
  if (list_.has_docids) {
    const DocId before = block == 0 ? 0xffffffff : list_.block_last_docs[block - 1];
    DecodeDocids(*unit, before, *kernels_, docids_ + first);
  }
  DecodeFreqs(*unit, *kernels_, freqs_ + first);
  DecodeCodes(*unit, *kernels_, codes_ + first);
  return absl::OkStatus();
}

void DecodedList::Clear(uint32_t begin, uint32_t end) {
  if (docids_ != nullptr) std::fill(docids_ + begin, docids_ + end, 0);
  std::fill(freqs_ + begin, freqs_ + end, uint8_t{0});
  std::fill(codes_ + begin, codes_ + end, uint8_t{0});
}

uint32_t DecodedList::EntriesOf(uint32_t posting) const {
  if (freqs_[posting] != kFreqEscape) return freqs_[posting];
  const auto at = std::lower_bound(
      list_.overflow.begin(), list_.overflow.end(), posting,
      [](const OverflowEntry& entry, uint32_t wanted) { return entry.posting < wanted; });
  return at != list_.overflow.end() && at->posting == posting ? at->position_entries : 0;
}

// entries: the position entries before `begin`, which is the first posting of a block.
void DecodedList::FillGroups(uint32_t begin, uint32_t end, uint64_t entries) {
  static_assert(kPositionGroup == 16 && kFreqEscape == 255);  // as sum_groups has them
  constexpr uint32_t kGroups = kBlockPostings / kPositionGroup;
  std::array<uint32_t, kGroups> sums;
  for (; begin < end; begin += kBlockPostings) {
    const uint32_t count = std::min(end - begin, kBlockPostings);
    const uint32_t whole = count / kPositionGroup;
    const bool escapes = kernels_->sum_groups(freqs_ + begin, whole, sums.data());
    for (uint32_t i = 0; i * kPositionGroup < count; ++i) {
      const uint32_t first = begin + i * kPositionGroup;
      if (first > 0) groups_[first / kPositionGroup - 1] = static_cast<uint32_t>(entries);
      if (i < whole && !escapes) {
        entries += sums[i];
        continue;
      }
      const uint32_t last = std::min(first + kPositionGroup, end);
      for (uint32_t posting = first; posting < last; ++posting) entries += EntriesOf(posting);
    }
  }
}

absl::Status DecodedList::LoadPositions(uint64_t first, uint64_t last) {
  return position_units_.ReadRun(list_.position_start + first, list_.position_start + last,
                                 positions_ + first);
}

// Sets counts[i] to EntriesOf(begin + i), and returns the sum. Few lists have a frequency that
// needs more than a look at its byte.
uint64_t DecodedList::CountEntries(uint32_t begin, uint32_t count, uint32_t* counts) const {
  uint32_t sum = 0;
  uint8_t greatest = 0;
  const uint8_t* const freqs = freqs_ + begin;
  for (uint32_t i = 0; i < count; ++i) {
    counts[i] = freqs[i];
    sum += freqs[i];
    greatest = std::max(greatest, freqs[i]);
  }
  if (greatest < kFreqEscape) return sum;
  uint64_t entries = 0;
  for (uint32_t i = 0; i < count; ++i) entries += counts[i] = EntriesOf(begin + i);
  return entries;
}

// The same for at most 64 postings. Adds their entries to `first`.
absl::Status DecodedList::LoadSome(uint32_t begin, uint32_t count, uint64_t wanted,
                                   uint64_t& first) {
  std::array<uint32_t, 64> counts;
  const uint64_t sum = CountEntries(begin, count, counts.data());
  if (first > list_.position_entries || sum > list_.position_entries - first) {
    return DataLoss("a list has too few entries");
  }
  const uint64_t from = first;
  first += sum;
  return position_units_.ReadRuns(list_.position_start + from, std::span(counts).first(count),
                                  wanted, positions_ + from);
}

}  // namespace pmdex
