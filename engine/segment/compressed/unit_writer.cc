#include "engine/segment/compressed/unit_writer.h"

#include <algorithm>
#include <array>

#include "engine/codec/compressed_unit.h"
#include "engine/segment/compressed/compressed_list_reader.h"

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
  units_.PadTo(AlignUp(units_.size_bytes(), UnitExtentAlignment(list.bits != nullptr)));
  const uint64_t offset = units_.size_bytes();
  if (list.bits != nullptr) {
    units_.AppendArray(std::span(list.bits, BitsetWords(list.doc_count)));
    units_.AppendArray(std::span(list.ranks, BitsetRuns(list.doc_count) + 1));
  }
  PMDEX_RETURN_IF_ERROR(WriteUnits(list));
  return offset;
}

absl::Status UnitWriter::WriteUnits(const PostingListView& list) {
  const bool has_blocks = list.df > kBlockPostings;
  const size_t head = places_.size();
  if (has_blocks) places_.push_back({});
  std::array<std::byte, kMostUnitBytes> unit;
  const uint64_t begin = units_.size_bytes();
  for (uint32_t block = 0; uint64_t{block} * kBlockPostings < list.df; ++block) {
    const uint32_t at = block * kBlockPostings;
    const uint32_t count = std::min(list.df - at, kBlockPostings);
    UnitSource source;
    source.freqs = {list.freqs + at, count};
    source.codes = {list.codes + at, count};
    if (list.docids != nullptr) {
      source.docids = {list.docids + at, count};
      if (at > 0) source.doc_before = list.docids[at - 1];
    }
    const uint64_t offset = units_.size_bytes();
    if (has_blocks) {
      places_.push_back({static_cast<uint32_t>(offset - begin), EntriesBefore(list, block)});
    }
    units_.Append(std::span(unit).first(EncodeUnit(source, offset, unit)));
  }
  const uint64_t size_bytes = units_.size_bytes() - begin;
  if (size_bytes > UINT32_MAX) return InvalidArgument("the units of a list are too large");
  if (has_blocks) {
    const uint64_t positions = list.groups == nullptr ? 0 : PositionEntriesOf(list);
    places_[head] = {static_cast<uint32_t>(size_bytes), static_cast<uint32_t>(positions)};
  }
  return absl::OkStatus();
}

}  // namespace pmdex
