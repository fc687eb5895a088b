#include "engine/segment/documents/doc_ids.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"

#include "engine/segment/documents/doc_entries.h"
#include "engine/segment/documents/id_blocks.h"
#include "pmem/prefetch.h"

namespace pmdex {
namespace {

constexpr uint64_t kLine = 64;

absl::Status CheckSize(const SegmentView& view, SectionKind kind, uint64_t expected) {
  const uint64_t size_bytes = view.RawSection(kind).size();
  if (size_bytes == expected) return absl::OkStatus();
  return view.Damage(kind, 0, absl::StrCat("has ", size_bytes, " bytes, expected ", expected));
}

// Fetches the lines of [begin, end), which lie in the section.
void FetchLines(const SegmentView& view, SectionKind kind, uint64_t begin, uint64_t end) {
  if (begin >= end) return;
  if (!view.WasVerified(kind, begin, end - begin)) return view.Prefetch(kind, begin, end - begin);
  const std::byte* const bytes = view.RawSection(kind).data();
  for (uint64_t at = begin; at < end; at += kLine) PrefetchLine(bytes + at);
  PrefetchLine(bytes + end - 1);
}

}  // namespace

absl::StatusOr<DocIds> DocIds::Open(const SegmentView& view, const SegmentMeta& meta) {
  DocIds ids;
  ids.view_ = &view;
  ids.entry_bytes_ = meta.doc_entry_bytes;
  ids.in_blocks_ = view.is_compressed();
  const uint32_t doc_count = view.header().doc_count;
  PMDEX_RETURN_IF_ERROR(ids.in_blocks_ ? CheckSize(view, SectionKind::kIdBlockStarts,
                                                   (IdBlocksOf(doc_count) + 1) * kTableOffsetBytes)
                                       : CheckSize(view, SectionKind::kDocEntries,
                                                   uint64_t{doc_count} * meta.doc_entry_bytes));
  return ids;
}

absl::StatusOr<std::string_view> DocIds::Read(DocId doc, std::string& buffer) const {
  if (!in_blocks_) return ReadEntry(doc);
  PMDEX_ASSIGN_OR_RETURN(const std::span<const std::byte> block, BlockOf(doc));
  if (ReadBlockId(block, doc % kIdsPerBlock, buffer).has_value()) return std::string_view(buffer);
  return view_->Damage(SectionKind::kIdBlocks,
                       absl::StrCat("the block of document ", doc, " makes no sense"));
}

absl::StatusOr<std::span<const std::byte>> DocIds::BlockOf(DocId doc) const {
  if (doc >= view_->header().doc_count) {
    return view_->Damage(SectionKind::kIdBlocks, absl::StrCat("there is no document ", doc));
  }
  const uint64_t number = doc / kIdsPerBlock;
  PMDEX_ASSIGN_OR_RETURN(
      const auto starts,
      view_->Slice(SectionKind::kIdBlockStarts, number * kTableOffsetBytes, 2 * kTableOffsetBytes));
  const uint64_t begin = TableOffset(starts, 0);
  const uint64_t end = TableOffset(starts, 1);
  if (begin > end) {
    return view_->Damage(SectionKind::kIdBlockStarts, number * kTableOffsetBytes,
                         "the starts do not ascend");
  }
  return view_->Slice(SectionKind::kIdBlocks, begin, end - begin);
}

absl::StatusOr<std::span<const std::byte>> DocIds::EntryOf(DocId doc) const {
  const uint64_t offset = uint64_t{doc} * entry_bytes_;
  if (doc >= view_->header().doc_count) {
    return view_->Damage(SectionKind::kDocEntries, offset, "there is no such document");
  }
  return view_->Slice(SectionKind::kDocEntries, offset, entry_bytes_);
}

absl::StatusOr<std::string_view> DocIds::ReadEntry(DocId doc) const {
  PMDEX_ASSIGN_OR_RETURN(const std::span<const std::byte> entry, EntryOf(doc));
  if (const auto id = IdInEntry(entry)) return *id;
  const std::optional<DocIdPlace> place = IdPlaceInEntry(entry);
  if (!place.has_value()) {
    return view_->Damage(SectionKind::kDocEntries, uint64_t{doc} * entry_bytes_,
                         "an id longer than its entry");
  }
  PMDEX_ASSIGN_OR_RETURN(const auto bytes,
                         view_->Slice(SectionKind::kDocIdBytes, place->offset, place->id_bytes));
  return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

void DocIds::PrefetchPlace(DocId doc) const {
  if (doc >= view_->header().doc_count) return;
  if (in_blocks_) {
    const uint64_t begin = doc / kIdsPerBlock * kTableOffsetBytes;
    return FetchLines(*view_, SectionKind::kIdBlockStarts, begin, begin + 2 * kTableOffsetBytes);
  }
  const uint64_t begin = uint64_t{doc} * entry_bytes_;
  FetchLines(*view_, SectionKind::kDocEntries, begin, begin + entry_bytes_);
}

void DocIds::PrefetchId(DocId doc) const {
  constexpr uint64_t kMostFetched = 8 * kLine;
  if (in_blocks_) {
    if (doc >= view_->header().doc_count) return;
    const auto starts = view_->Slice(SectionKind::kIdBlockStarts,
                                     doc / kIdsPerBlock * kTableOffsetBytes, 2 * kTableOffsetBytes);
    if (!starts.ok()) return;
    const uint64_t begin = TableOffset(*starts, 0);
    const uint64_t size_bytes = view_->RawSection(SectionKind::kIdBlocks).size();
    const uint64_t end = std::min({TableOffset(*starts, 1), size_bytes, begin + kMostFetched});
    return FetchLines(*view_, SectionKind::kIdBlocks, begin, end);
  }
  const uint64_t ids_bytes = view_->RawSection(SectionKind::kDocIdBytes).size();
  if (ids_bytes == 0) return;
  const absl::StatusOr<std::span<const std::byte>> entry = EntryOf(doc);
  if (!entry.ok()) return;
  const std::optional<DocIdPlace> place = IdPlaceInEntry(*entry);
  if (place.has_value() && place->offset < ids_bytes) {
    view_->Fetch(SectionKind::kDocIdBytes, place->offset, 1);
  }
}

}  // namespace pmdex
