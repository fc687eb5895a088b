#include "engine/segment/compressed/unit_writer.h"

#include <algorithm>
#include <array>

#include "engine/codec/compressed_unit.h"

namespace pmdex {
namespace {

// Encoding trusts its input, which is a mapped file.
absl::Status CheckList(const PostingListView& list) {
  bool has_freqs = true;
  for (uint32_t i = 0; i < list.df; ++i) has_freqs &= list.freqs[i] != 0;
  if (!has_freqs) return DataLoss("a frequency of 0 in a list");
  if (list.docids == nullptr) return absl::OkStatus();
  bool ascends = list.docids[list.df - 1] < list.doc_count;
  for (uint32_t i = 1; i < list.df; ++i) ascends &= list.docids[i - 1] < list.docids[i];
  return ascends ? absl::OkStatus() : DataLoss("docids of a list do not ascend");
}

uint32_t EntriesBefore(const PostingListView& list, uint32_t block) {
  if (block == 0 || list.groups == nullptr) return 0;
  return list.groups[block * (kBlockPostings / kPositionGroup) - 1];
}

}  // namespace

absl::StatusOr<uint64_t> UnitWriter::Write(const PostingListView& list) {
  PMDEX_RETURN_IF_ERROR(CheckList(list));
  const bool has_blocks = list.df > kBlockPostings;
  units_.PadTo(AlignUp(units_.size_bytes(), UnitExtentAlignment(has_blocks)));
  const uint64_t offset = units_.size_bytes();
  if (list.bits != nullptr) {
    units_.AppendArray(std::span(list.bits, BitsetWords(list.doc_count)));
    units_.AppendArray(std::span(list.ranks, BitsetRuns(list.doc_count) + 1));
    units_.PadTo(AlignUp(units_.size_bytes(), kUnitBytes));
  }
  WriteUnits(list);
  return offset;
}

void UnitWriter::WriteUnits(const PostingListView& list) {
  const bool has_blocks = list.df > kBlockPostings;
  const size_t head = places_.size();
  if (has_blocks) places_.push_back({});
  std::array<std::byte, kUnitBytes> unit;
  uint32_t number = 0;
  uint32_t block = 0;  // the next one that needs a place
  for (uint32_t at = 0; at < list.df; ++number) {
    UnitSource source;
    const uint32_t left = list.df - at;
    if (list.docids != nullptr) source.docids = {list.docids + at, left};
    source.freqs = {list.freqs + at, left};
    source.codes = {list.codes + at, left};
    source.first_posting = at;
    if (at > 0 && list.docids != nullptr) source.doc_before = list.docids[at - 1];
    const EncodedUnit encoded = EncodeUnit(source, unit);
    units_.Append(std::span(unit).first(encoded.bytes));
    at += encoded.postings;
    for (; has_blocks && uint64_t{block} * kBlockPostings < at; ++block) {
      places_.push_back({number, EntriesBefore(list, block)});
    }
  }
  if (!has_blocks) return;
  uint64_t entries = 0;
  if (list.groups != nullptr) {
    entries = list.cf;
    for (const OverflowEntry& entry : list.overflow) entries += entry.position_entries - entry.freq;
  }
  places_[head] = {number, static_cast<uint32_t>(entries)};
}

}  // namespace pmdex
