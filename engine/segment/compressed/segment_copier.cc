#include "engine/segment/compressed/segment_copier.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "engine/segment/dictionary/term_line.h"

namespace pmdex {
namespace {

constexpr uint64_t kPieceBytes = 1 << 20;

Representation OfOtherTier(Representation representation) {
  switch (representation) {
    case Representation::kLanes:
      return Representation::kCompressed;
    case Representation::kBitset:
      return Representation::kCompressedBitset;
    case Representation::kCompressed:
      return Representation::kLanes;
    case Representation::kCompressedBitset:
      return Representation::kBitset;
    default:
      return representation;
  }
}

}  // namespace

absl::Status SegmentCopier::Copy(std::span<const SectionKind> kinds) {
  for (const SectionKind kind : kinds) {
    const auto sections = source_.view().sections();
    const bool has = std::any_of(sections.begin(), sections.end(),
                                 [kind](const SectionEntry& entry) { return entry.kind == kind; });
    if (has) PMDEX_RETURN_IF_ERROR(CopySection(kind));
  }
  return absl::OkStatus();
}

FileHeader SegmentCopier::Header(uint64_t segment_id) const {
  FileHeader header{};
  header.segment_id = segment_id;
  header.doc_count = source_.doc_count();
  header.field_count = static_cast<uint32_t>(source_.fields().size());
  header.flags = source_.view().header().flags ^ kSegmentIsCompressed;
  return header;
}

absl::Status SegmentCopier::CopySection(SectionKind kind) {
  const SegmentView& view = source_.view();
  const uint64_t size_bytes = view.RawSection(kind).size();
  PMDEX_ASSIGN_OR_RETURN(SectionStream stream, file_.Start(kind, size_bytes));
  for (uint64_t at = 0; at < size_bytes; at += kPieceBytes) {
    view.Prefetch(kind, at, 4 * kPieceBytes);
    PMDEX_ASSIGN_OR_RETURN(const std::span<const std::byte> bytes,
                           view.Slice(kind, at, std::min(kPieceBytes, size_bytes - at)));
    stream.Append(bytes);
  }
  return file_.Finish(stream);
}

DictionaryEntry SegmentCopier::Moved(DictionaryEntry entry, uint64_t bucket) const {
  if (entry.representation == Representation::kEmpty) return entry;
  entry.representation = OfOtherTier(entry.representation);
  entry.lanes.postings_offset = extents_[bucket];
  return entry;
}

absl::Status SegmentCopier::CopyEntries() {
  constexpr uint64_t kAtOnce = 4096;
  const SegmentView& view = source_.view();
  const uint64_t count = extents_.size();
  PMDEX_ASSIGN_OR_RETURN(SectionStream stream, file_.Start(SectionKind::kDictionaryEntries,
                                                           count * sizeof(DictionaryEntry)));
  for (uint64_t first = 0; first < count; first += kAtOnce) {
    PMDEX_ASSIGN_OR_RETURN(const auto entries,
                           view.Array<DictionaryEntry>(SectionKind::kDictionaryEntries, first,
                                                       std::min(kAtOnce, count - first)));
    for (uint64_t i = 0; i < entries.size(); ++i) stream.AppendValue(Moved(entries[i], first + i));
  }
  return file_.Finish(stream);
}

absl::Status SegmentCopier::CopyTermBlocks() {
  PMDEX_ASSIGN_OR_RETURN(SectionStream stream,
                         file_.Start(SectionKind::kTermBlocks,
                                     source_.view().RawSection(SectionKind::kTermBlocks).size()));
  std::array<std::byte, kMaxLineBytes> bytes;
  for (size_t field = 0; field < source_.fields().size(); ++field) {
    TermIterator terms(source_.dictionary(), static_cast<FieldId>(field));
    while (terms.Next()) {
      const std::span<const std::byte> line = terms.line();
      if (terms.parts().is_inline()) {
        stream.Append(line);
        continue;
      }
      PMDEX_ASSIGN_OR_RETURN(const DictionaryEntry entry, terms.entry());
      const uint32_t bucket = BucketOf(terms.parts());
      std::copy(line.begin(), line.end(), bytes.begin());
      WriteExtentRest(Moved(entry, bucket), bucket, bytes.data() + line.size() - kExtentRestBytes);
      stream.Append(std::span(bytes).first(line.size()));
    }
    PMDEX_RETURN_IF_ERROR(terms.status());
  }
  return file_.Finish(stream);
}

absl::Status SegmentCopier::CopyDictionary() {
  PMDEX_RETURN_IF_ERROR(CopyEntries());
  PMDEX_RETURN_IF_ERROR(CopySection(SectionKind::kTermBytes));
  PMDEX_RETURN_IF_ERROR(CopyTermBlocks());
  PMDEX_RETURN_IF_ERROR(CopySection(SectionKind::kTermBlockStarts));
  PMDEX_RETURN_IF_ERROR(CopySection(SectionKind::kRareTermSlots));
  return Copy(std::array{SectionKind::kTermSignatures});
}

}  // namespace pmdex
