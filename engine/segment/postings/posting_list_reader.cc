#include "engine/segment/postings/posting_list_reader.h"

#include <algorithm>
#include <bit>

#include "engine/segment/compressed/compressed_list_reader.h"
#include "engine/segment/postings/bound_builder.h"

namespace pmdex {
namespace {

constexpr std::string_view kNoBestPoints = "no best points before the blocks";

bool HasPositions(const SegmentView& view) {
  return (view.header().flags & kSegmentHasPositions) != 0;
}

// The entry is a copy, so that its offset is not known.
absl::Status EntryDamage(const SegmentView& view, const DictionaryEntry& entry,
                         std::string_view what) {
  return view.Damage(
      IsInline(entry.representation) ? SectionKind::kTermBlocks : SectionKind::kDictionaryEntries,
      what);
}

bool HasExtent(Representation representation) {
  return representation != Representation::kEmpty && !IsInline(representation);
}

// Checks the values of an entry that were read from the mapping.
absl::Status CheckEntry(const SegmentView& view, const DictionaryEntry& entry,
                        Representation representation, uint32_t df, uint64_t cf) {
  if (df == 0 || df > view.header().doc_count || cf < df) {
    return EntryDamage(view, entry, "df or cf make no sense");
  }
  switch (representation) {
    case Representation::kInline:
    case Representation::kInlineWithPositions:
      if (df <= kMaxInlinePostings) return absl::OkStatus();
      return EntryDamage(view, entry, "more postings than an entry holds");
    case Representation::kLanes:
    case Representation::kBitset:
    case Representation::kCompressed:
    case Representation::kCompressedBitset:
      if (IsCompressed(representation) == view.is_compressed()) return absl::OkStatus();
      return EntryDamage(view, entry, "postings that segments of the other tier have");
    case Representation::kEmpty:
      return EntryDamage(view, entry, "an empty bucket");
    default:
      return EntryDamage(view, entry, "unknown representation of postings");
  }
}

absl::Status ViewInline(const SegmentView& view, const DictionaryEntry& entry, ListParts parts,
                        PostingListView& list) {
  const InlinePostings& inlined = entry.inlined;
  list.is_inline = true;
  list.docids = inlined.docids;
  list.freqs = inlined.freqs;
  list.codes = inlined.codes;
  BoundBuilder bounds;
  uint64_t tokens = 0;
  for (uint32_t i = 0; i < list.df; ++i) {
    bounds.Add(inlined.freqs[i], inlined.codes[i]);
    tokens += inlined.freqs[i];
  }
  list.bounds = bounds.Points();
  if (parts == ListParts::kScores || !HasPositions(view)) return absl::OkStatus();
  if (entry.representation == Representation::kInlineWithPositions) {
    list.positions = {inlined.positions, std::min<uint64_t>(tokens, kMaxInlinePositions)};
    return absl::OkStatus();
  }
  if (view.is_compressed()) {
    PMDEX_ASSIGN_OR_RETURN(list.inline_positions,
                           DecodePositions(view, inlined.position_start, {inlined.freqs, list.df}));
    list.positions = {list.inline_positions.get(), tokens};
    return absl::OkStatus();
  }
  PMDEX_ASSIGN_OR_RETURN(list.positions, view.Array<uint16_t>(SectionKind::kPositions,
                                                              inlined.position_start, tokens));
  return absl::OkStatus();
}

// The layout of the extent of a list. Checks the entry.
absl::StatusOr<PostingExtent> CheckExtent(const SegmentView& view, const DictionaryEntry& entry,
                                          Representation representation, uint32_t df) {
  const PostingExtent extent =
      LayOutPostings(df, HasUnitFreqs(df, entry.cf, entry.lanes.overflow_start),
                     view.header().doc_count, HasPositions(view));
  if ((extent.ranks_offset != 0) != (representation == Representation::kBitset)) {
    return EntryDamage(view, entry, "not the representation of so many postings");
  }
  if (entry.lanes.postings_offset % ExtentAlignment(df) != 0) {
    return EntryDamage(view, entry, "postings are not aligned");
  }
  return extent;
}

// The lanes of a list that has an extent, and where its positions begin.
absl::Status ViewExtent(const SegmentView& view, const DictionaryEntry& entry,
                        Representation representation, ListParts parts, PostingListView& list) {
  PMDEX_ASSIGN_OR_RETURN(const PostingExtent extent,
                         CheckExtent(view, entry, representation, list.df));
  const bool is_bitset = extent.ranks_offset != 0;
  const bool positions = parts == ListParts::kAll && HasPositions(view);
  const uint64_t offset = entry.lanes.postings_offset;
  const uint64_t size_bytes = extent.size_bytes + kLaneTailBytes;
  PMDEX_ASSIGN_OR_RETURN(const auto bytes, view.Inside(SectionKind::kPostings, offset, size_bytes));
  PMDEX_RETURN_IF_ERROR(
      view.Verify(SectionKind::kPostings, offset, positions ? size_bytes : extent.groups_offset));
  if (is_bitset) {
    list.bits = reinterpret_cast<const uint64_t*>(bytes.data());
    list.ranks = reinterpret_cast<const uint32_t*>(bytes.data() + extent.ranks_offset);
  } else {
    list.docids = reinterpret_cast<const DocId*>(bytes.data());
  }
  list.freqs = reinterpret_cast<const uint8_t*>(bytes.data() + extent.freqs_offset);
  if (extent.freqs_offset == extent.codes_offset) {
    PMDEX_ASSIGN_OR_RETURN(const auto ones,
                           view.Slice(SectionKind::kUnitFreqs, 0, UnitFreqsBytes(list.df)));
    list.freqs = reinterpret_cast<const uint8_t*>(ones.data());
  }
  list.codes = reinterpret_cast<const uint8_t*>(bytes.data() + extent.codes_offset);
  list.bounds = entry.lanes.bounds;
  if (positions) {
    list.groups = reinterpret_cast<const uint32_t*>(bytes.data() + extent.groups_offset);
    // Their pages are verified when they are read, because a phrase reads few of a long list.
    const auto entries = view.RawArray<uint16_t>(SectionKind::kPositions);
    if (entry.lanes.position_start > entries.size()) {
      return EntryDamage(view, entry, "positions lie outside");
    }
    list.positions = entries.subspan(entry.lanes.position_start);
    list.unverified_positions = &view;
    list.position_start = entry.lanes.position_start;
  }
  return absl::OkStatus();
}

uint64_t OffsetOf(const SegmentView& view, const DocumentsView& documents) {
  return static_cast<uint64_t>(documents.mapped.data() - view.RawSection(view.extents()).data());
}

// True if the documents are in units that are not read from the mapping.
bool AreUncached(const SegmentView& view, const DocumentsView& documents) {
  return view.uncached_units() != nullptr && documents.bits == nullptr;
}

// About as many bytes of the list's extent as are read from the mapping.
uint64_t PrefetchedBytes(const SegmentView& view, const DictionaryEntry& entry, ListParts parts) {
  const uint32_t df = entry.df;
  const uint32_t doc_count = view.header().doc_count;
  if (view.uncached_units() != nullptr) {
    return IsBitset(df, doc_count) ? CompressedBitsBytes(doc_count) : 0;
  }
  const PostingExtent extent =
      LayOutPostings(df, HasUnitFreqs(df, entry.cf, entry.lanes.overflow_start), doc_count,
                     parts == ListParts::kAll && HasPositions(view));
  // The units of a list take about a third of its lanes.
  return view.is_compressed() ? extent.size_bytes / 3 : extent.size_bytes;
}

constexpr uint64_t BlocksOf(uint32_t df) {
  return (uint64_t{df} + kBlockPostings - 1) / kBlockPostings;
}

absl::Status ViewBlocks(const SegmentView& view, const DictionaryEntry& entry,
                        PostingListView& list) {
  if (list.df <= kBlockPostings) return absl::OkStatus();
  const uint64_t start = entry.lanes.block_start;
  const uint64_t count = BlocksOf(list.df);
  if (start == 0) return EntryDamage(view, entry, kNoBestPoints);
  PMDEX_ASSIGN_OR_RETURN(list.block_last_docs,
                         view.Array<uint32_t>(SectionKind::kBlockLastDocs, start, count));
  PMDEX_ASSIGN_OR_RETURN(const auto points,
                         view.Array<BoundPoints>(SectionKind::kBlockBounds, start - 1, count + 1));
  list.best = std::bit_cast<BestPoints>(points[0]);
  list.block_bounds = points.subspan(1);
  return absl::OkStatus();
}

absl::Status ViewOverflow(const SegmentView& view, const DictionaryEntry& entry,
                          PostingListView& list) {
  if (entry.lanes.overflow_start == kNoOverflow) return absl::OkStatus();
  const uint64_t start = entry.lanes.overflow_start;
  PMDEX_ASSIGN_OR_RETURN(const auto count,
                         view.Array<OverflowEntry>(SectionKind::kFreqOverflow, start, 1));
  PMDEX_ASSIGN_OR_RETURN(list.overflow, view.Array<OverflowEntry>(SectionKind::kFreqOverflow,
                                                                  start + 1, count[0].posting));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<PostingListView> ReadPostingList(const SegmentView& view,
                                                const DictionaryEntry& entry, ListParts parts,
                                                ListLoading loading) {
  // Read each member once: a mapped entry may turn to zeros at any time (pmem/fault_guard.h).
  PostingListView list;
  list.df = entry.df;
  list.cf = entry.cf;
  list.doc_count = view.header().doc_count;
  const Representation representation = entry.representation;
  PMDEX_RETURN_IF_ERROR(CheckEntry(view, entry, representation, list.df, list.cf));
  if (IsInline(representation)) {
    PMDEX_RETURN_IF_ERROR(ViewInline(view, entry, parts, list));
    return list;
  }
  list.postings_offset = entry.lanes.postings_offset;
  PMDEX_RETURN_IF_ERROR(ViewBlocks(view, entry, list));
  PMDEX_RETURN_IF_ERROR(ViewOverflow(view, entry, list));
  if (IsCompressed(representation)) {
    PMDEX_RETURN_IF_ERROR(ViewCompressed(view, entry, representation, parts, loading, list));
  } else {
    PMDEX_RETURN_IF_ERROR(ViewExtent(view, entry, representation, parts, list));
  }
  return list;
}

absl::StatusOr<BestPoints> ReadBestPoints(const SegmentView& view, const DictionaryEntry& entry) {
  if (IsInline(entry.representation) || entry.df <= kBlockPostings) return BestPoints{};
  if (entry.lanes.block_start == 0) return EntryDamage(view, entry, kNoBestPoints);
  PMDEX_ASSIGN_OR_RETURN(
      const auto points,
      view.Array<BoundPoints>(SectionKind::kBlockBounds, uint64_t{entry.lanes.block_start} - 1, 1));
  return std::bit_cast<BestPoints>(points[0]);
}

absl::StatusOr<DocumentsView> LocateDocuments(const SegmentView& view,
                                              const DocumentsPlace& place) {
  DocumentsView documents;
  documents.df = place.df;
  if (place.is_inline) {
    documents.docids = place.docids.data();
    return documents;
  }
  documents.is_compressed = view.is_compressed();
  const bool is_bitset = IsBitset(place.df, view.header().doc_count);
  const uint64_t alignment =
      documents.is_compressed ? UnitExtentAlignment(is_bitset) : ExtentAlignment(place.df);
  if (place.df == 0 || place.df > view.header().doc_count ||
      place.postings_offset % alignment != 0) {
    return view.Damage(SectionKind::kTermBlocks, 0,
                       "the place of a term's documents makes no sense");
  }
  uint64_t size_bytes = uint64_t{place.df} * sizeof(DocId);
  if (is_bitset) {
    size_bytes = BitsetWords(view.header().doc_count) * sizeof(uint64_t);
  } else if (documents.is_compressed) {
    // About as many. Whether the units are there is seen when they are read.
    const uint64_t left = view.RawSection(view.extents()).size();
    size_bytes = std::min(size_bytes / 2, left - std::min(left, place.postings_offset));
  }
  PMDEX_ASSIGN_OR_RETURN(documents.mapped,
                         view.Inside(view.extents(), place.postings_offset, size_bytes));
  if (is_bitset) {
    documents.bits = reinterpret_cast<const uint64_t*>(documents.mapped.data());
  } else if (!documents.is_compressed) {
    documents.docids = reinterpret_cast<const DocId*>(documents.mapped.data());
  }
  return documents;
}

void FetchDocuments(const SegmentView& view, const DocumentsView& documents) {
  // Neighbouring terms have neighbouring lists, so short lists are prefetched together.
  constexpr uint64_t kUnit = 64 << 10;
  constexpr size_t kLines = 4;
  const std::span<const std::byte> mapped = documents.mapped;
  if (mapped.empty() || AreUncached(view, documents)) return;
  const uint64_t offset = OffsetOf(view, documents);
  if (!view.WasVerified(view.extents(), offset, mapped.size())) {
    view.PrefetchAround(view.extents(), offset, mapped.size(),
                        mapped.size() < kUnit ? kUnit : kPageBytes);
    return;
  }
  for (size_t at = 0; at < std::min(mapped.size(), kLines * 64); at += 64) {
    PrefetchLine(mapped.data() + at);
  }
}

absl::Status VerifyDocuments(const SegmentView& view, const DocumentsView& documents) {
  if (documents.mapped.empty() || AreUncached(view, documents)) return absl::OkStatus();
  return view.Verify(view.extents(), OffsetOf(view, documents), documents.mapped.size());
}

// Most searches read the first lines of these ranges. Those of many segments and words are fetched
// side by side so, and not one after the other when each segment is searched.
void PrefetchPostingList(const SegmentView& view, const DictionaryEntry& entry, ListParts parts) {
  constexpr size_t kLines = 2;
  if (!HasExtent(entry.representation)) return;
  const uint32_t df = entry.df;
  const LanePostings& lanes = entry.lanes;
  view.PrefetchFirst(view.extents(), lanes.postings_offset, PrefetchedBytes(view, entry, parts),
                     kLines);
  if (df > kBlockPostings) {
    view.PrefetchFirst(SectionKind::kBlockLastDocs, uint64_t{lanes.block_start} * sizeof(uint32_t),
                       BlocksOf(df) * sizeof(uint32_t), kLines);
    const uint64_t best = uint64_t{lanes.block_start} - (lanes.block_start == 0 ? 0 : 1);
    view.PrefetchFirst(SectionKind::kBlockBounds, best * sizeof(BoundPoints),
                       (BlocksOf(df) + 1) * sizeof(BoundPoints), kLines);
  }
  if (lanes.overflow_start != kNoOverflow) {
    view.Prefetch(SectionKind::kFreqOverflow,
                  uint64_t{lanes.overflow_start} * sizeof(OverflowEntry), sizeof(OverflowEntry));
  }
}

void PrefetchPositions(const SegmentView& view, const DictionaryEntry& entry) {
  constexpr uint64_t kFirstEntries = 512 << 10;
  const bool is_inline = entry.representation == Representation::kInline;
  if (!is_inline && !HasExtent(entry.representation)) return;
  const uint64_t start = is_inline ? entry.inlined.position_start : entry.lanes.position_start;
  if (start > UINT64_MAX / sizeof(uint16_t)) return;
  if (view.is_compressed()) {
    // These say where the units are.
    view.Prefetch(SectionKind::kPositionUnitStarts, start / kUnitValues * kTableOffsetBytes,
                  (std::min(entry.cf, kFirstEntries) / kUnitValues + 2) * kTableOffsetBytes);
    return;
  }
  view.Prefetch(SectionKind::kPositions, start * sizeof(uint16_t),
                std::min<uint64_t>(entry.cf, kFirstEntries) * sizeof(uint16_t));
}

}  // namespace pmdex
