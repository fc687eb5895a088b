#include "engine/segment/verify/verifier.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"

#include "engine/segment/documents/doc_entries.h"
#include "engine/segment/documents/id_blocks.h"
#include "engine/segment/file/page_checksums.h"
#include "engine/segment/verify/column_verifier.h"
#include "engine/segment/verify/dictionary_verifier.h"
#include "engine/segment/verify/finding_list.h"
#include "pmem/checksum.h"

namespace pmdex {
namespace {

constexpr std::string_view kHeaderPage = "header page";

void VerifyHeaderPage(const SegmentView& view, FindingList& findings) {
  const FileHeader& header = view.header();
  if (header.reserved[0] != 0 || header.reserved[1] != 0 ||
      (header.flags & ~(kSegmentHasPositions | kSegmentHasStoredText | kSegmentIsCompressed)) !=
          0) {
    findings.Add(kHeaderPage, 0, "reserved bits are not zero");
  }
  const size_t table_end = sizeof(FileHeader) + view.sections().size_bytes();
  for (size_t i = table_end; i < kHeaderCrcOffset; ++i) {
    if (view.bytes()[i] != std::byte{0}) {
      return findings.Add(kHeaderPage, i, "bytes after the section table are not zero");
    }
  }
}

// Checks that the segment has exactly the sections that it must have, as far as kinds are known.
void VerifySectionKinds(const SegmentView& view, FindingList& findings) {
  const uint32_t flags = view.header().flags;
  for (auto number = static_cast<uint32_t>(SectionKind::kMeta);
       number <= static_cast<uint32_t>(kLastKnownSection); ++number) {
    const auto kind = static_cast<SectionKind>(number);
    const bool compressed = (flags & kSegmentIsCompressed) != 0;
    const bool positions = (flags & kSegmentHasPositions) != 0;
    bool expected = true;
    if (kind == SectionKind::kPostings) expected = !compressed;
    if (kind == SectionKind::kPositions) expected = positions && !compressed;
    if (kind == SectionKind::kCompressedUnits || kind == SectionKind::kUnitPlaces) {
      expected = compressed;
    }
    if (kind == SectionKind::kPositionUnits || kind == SectionKind::kPositionUnitStarts) {
      expected = positions && compressed;
    }
    if (kind == SectionKind::kDocEntries || kind == SectionKind::kDocIdBytes) {
      expected = !compressed;
    }
    if (kind == SectionKind::kIdBlocks || kind == SectionKind::kIdBlockStarts) {
      expected = compressed;
    }
    if (kind == SectionKind::kStoredChunks || kind == SectionKind::kStoredBytes) {
      expected = (flags & kSegmentHasStoredText) != 0;
    }
    const bool is_optional =
        kind == SectionKind::kNumericColumns || kind == SectionKind::kTermSignatures;
    if (!IsKnown(kind) || is_optional) continue;
    const bool found = std::any_of(view.sections().begin(), view.sections().end(),
                                   [kind](const SectionEntry& e) { return e.kind == kind; });
    findings.Check(found == expected, kind, 0, found ? "not expected" : "missing");
  }
}

void VerifyChecksumsAndPadding(const SegmentView& view, FindingList& findings) {
  uint64_t end = kHeaderPageBytes;
  const std::span<const std::byte> bytes = view.bytes();
  SectionKind before = SectionKind::kMeta;
  uint64_t before_bytes = 0;
  for (const SectionEntry& entry : view.sections()) {
    findings.CheckZero(bytes.subspan(end, entry.offset - end), before, before_bytes,
                       "padding after the section is not zero");
    const uint64_t checksum = Xxh3(bytes.subspan(entry.offset, entry.size_bytes));
    if (checksum != entry.checksum) {
      findings.Add(entry.kind, 0,
                   absl::StrCat("checksum is ", absl::Hex(checksum, absl::kZeroPad16),
                                ", expected ", absl::Hex(entry.checksum, absl::kZeroPad16)));
    }
    end = entry.offset + entry.size_bytes;
    before = entry.kind;
    before_bytes = entry.size_bytes;
  }
  findings.CheckZero(bytes.subspan(end), before, before_bytes,
                     "padding after the section is not zero");
  findings.Check(bytes.size() == AlignUp(end, kSectionAlignment), before, before_bytes,
                 "the file does not end with its last section");
}

// Compares each page with its checksum, and the checksums with the levels above them.
void VerifyPages(const SegmentView& view, FindingList& findings) {
  const auto stored = PageChecksums::Find(view.bytes(), view.sections());
  if (!stored.has_value()) return;  // Open has refused such a file
  uint64_t page = 0;
  for (const SectionEntry& entry : view.sections()) {
    if (entry.kind == SectionKind::kPageChecksums) continue;
    for (uint64_t at = 0; at < entry.size_bytes; at += kPageBytes, ++page) {
      const uint64_t size_bytes = std::min(kPageBytes, entry.size_bytes - at);
      const uint32_t checksum = PageChecksum(view.bytes().subspan(entry.offset + at, size_bytes));
      if (checksum == stored->pages[page]) continue;
      findings.Add(entry.kind, at,
                   absl::StrCat("checksum of the page is ", absl::Hex(checksum, absl::kZeroPad8),
                                ", expected ", absl::Hex(stored->pages[page], absl::kZeroPad8)));
    }
  }
  for (uint64_t i = 0; i < stored->upper.size(); ++i) {
    findings.Check(PageChecksum(stored->PageOfChecksums(i)) == stored->upper[i],
                   SectionKind::kPageChecksums, i * kPageBytes,
                   "the checksum of this page of checksums does not match");
  }
}

void VerifyMeta(const Segment& segment, FindingList& findings) {
  const std::span<const std::byte> section = segment.view().RawSection(SectionKind::kMeta);
  SegmentMeta meta;
  std::memcpy(&meta, section.data(), sizeof(meta));
  bool zero = std::all_of(std::begin(meta.reserved_bytes), std::end(meta.reserved_bytes),
                          [](uint8_t byte) { return byte == 0; });
  zero &= meta.reserved_word == 0 && meta.reserved[0] == 0 && meta.reserved[1] == 0;
  uint64_t name_offset = sizeof(SegmentMeta) + segment.fields().size() * sizeof(FieldEntry);
  uint64_t terms = 0;
  uint64_t postings = 0;
  uint64_t tokens = 0;
  absl::flat_hash_set<std::string_view> names;
  for (size_t i = 0; i < segment.fields().size(); ++i) {
    const uint64_t offset = sizeof(SegmentMeta) + i * sizeof(FieldEntry);
    FieldEntry entry;
    std::memcpy(&entry, section.data() + offset, sizeof(entry));
    findings.Check(entry.name_offset == name_offset, SectionKind::kMeta, offset,
                   "names do not follow one another");
    findings.Check(names.insert(segment.fields()[i].name).second, SectionKind::kMeta, offset,
                   "two fields of one name");
    name_offset += entry.name_bytes;
    terms += entry.term_count;
    postings += entry.posting_count;
    tokens += entry.token_count;
  }
  findings.Check(zero, SectionKind::kMeta, 0, "reserved bytes are not zero");
  findings.Check(name_offset == section.size(), SectionKind::kMeta, name_offset,
                 "bytes after the last name");
  findings.Check(
      terms == meta.term_count && postings == meta.posting_count && tokens == meta.token_count,
      SectionKind::kMeta, 0, "the fields do not add up to the segment");
}

// Checks that the ids beside the entries have no gaps, and that unused bytes are zero.
void VerifyDocEntries(const Segment& segment, FindingList& findings) {
  const uint32_t entry_bytes = segment.doc_entry_bytes();
  const std::span<const std::byte> entries = segment.view().RawSection(SectionKind::kDocEntries);
  uint64_t ids_end = 0;
  for (uint64_t offset = 0; offset < entries.size(); offset += entry_bytes) {
    const std::span<const std::byte> bytes = entries.subspan(offset, entry_bytes);
    const auto id = IdInEntry(bytes);
    const size_t used = 1 + (id.has_value() ? id->size() : kDocIdPlaceBytes);
    findings.CheckZero(bytes.subspan(used), SectionKind::kDocEntries, offset + used,
                       "the rest of an entry is not zero");
    if (id.has_value()) continue;
    const DocIdPlace place = IdPlaceInEntry(bytes).value_or(DocIdPlace{~uint64_t{0}, 0});
    findings.Check(place.offset == ids_end && place.id_bytes > DocEntryIdRoom(entry_bytes),
                   SectionKind::kDocEntries, offset, "the ids beside do not follow one another");
    ids_end += place.id_bytes;
  }
  const uint64_t ids_bytes = segment.view().RawSection(SectionKind::kDocIdBytes).size();
  findings.Check(ids_end == ids_bytes, SectionKind::kDocIdBytes, ids_end,
                 "the entries end here, the ids do not");
}

// Checks that the blocks of ids follow one another, and hold nothing but ids.
void VerifyIdBlocks(const Segment& segment, FindingList& findings) {
  const SegmentView& view = segment.view();
  const std::span<const std::byte> starts = view.RawSection(SectionKind::kIdBlockStarts);
  const std::span<const std::byte> ids = view.RawSection(SectionKind::kIdBlocks);
  std::string id;
  uint64_t begin = 0;  // of the block
  uint64_t end = 0;    // of the ids so far
  for (DocId doc = 0; doc < segment.doc_count(); ++doc) {
    if (doc % kIdsPerBlock == 0) {
      begin = end;
      findings.Check(TableOffset(starts, doc / kIdsPerBlock) == begin, SectionKind::kIdBlockStarts,
                     doc / kIdsPerBlock * kTableOffsetBytes, "a block does not begin here");
    }
    const auto behind = ReadBlockId(ids.subspan(begin), doc % kIdsPerBlock, id);
    if (!findings.Check(behind.has_value(), SectionKind::kIdBlocks, end, "this is no id")) return;
    end = begin + *behind;
  }
  const uint64_t stored_end = TableOffset(starts, IdBlocksOf(segment.doc_count()));
  findings.Check(end == ids.size() && stored_end == end, SectionKind::kIdBlocks, end,
                 "the ids end here, the section does not");
}

void VerifyDocuments(const Segment& segment, FindingList& findings) {
  const SegmentView& view = segment.view();
  if (segment.is_compressed()) {
    VerifyIdBlocks(segment, findings);
  } else {
    VerifyDocEntries(segment, findings);
  }
  const uint64_t row_bytes = AlignUp(segment.doc_count(), kNormRowAlignment);
  const std::span<const std::byte> norms = view.RawSection(SectionKind::kNorms);
  for (size_t field = 0; field < segment.fields().size(); ++field) {
    const uint64_t end = field * row_bytes + segment.doc_count();
    findings.CheckZero(norms.subspan(end, (field + 1) * row_bytes - end), SectionKind::kNorms, end,
                       "padding of a row is not zero");
  }
}

// True if the decompressed bytes of a chunk are exactly `doc_count` documents.
bool ParsesAs(std::string_view raw, uint64_t doc_count, uint32_t field_count) {
  const auto take_u32 = [](std::string_view& from, uint32_t& value) {
    if (from.size() < sizeof(value)) return false;
    std::memcpy(&value, from.data(), sizeof(value));
    from.remove_prefix(sizeof(value));
    return true;
  };
  for (uint64_t doc = 0; doc < doc_count; ++doc) {
    uint32_t size_bytes = 0;
    if (!take_u32(raw, size_bytes) || size_bytes > raw.size()) return false;
    std::string_view document = raw.substr(0, size_bytes);
    raw.remove_prefix(size_bytes);
    while (!document.empty()) {
      FieldId field = 0;
      if (document.size() < sizeof(field)) return false;
      std::memcpy(&field, document.data(), sizeof(field));
      document.remove_prefix(sizeof(field));
      uint32_t text_bytes = 0;
      const bool is_known = field < field_count || field == kOriginalRecordField;
      if (!is_known || !take_u32(document, text_bytes) || text_bytes > document.size()) {
        return false;
      }
      document.remove_prefix(text_bytes);
    }
  }
  return raw.empty();
}

void VerifyStoredText(const Segment& segment, FindingList& findings) {
  const SegmentView& view = segment.view();
  const std::span<const std::byte> section = view.RawSection(SectionKind::kStoredChunks);
  const uint64_t count = section.size() / sizeof(StoredChunk);
  const auto chunks = view.Array<StoredChunk>(SectionKind::kStoredChunks, 0, count);
  if (!findings.Check(count >= 1 && section.size() % sizeof(StoredChunk) == 0 && chunks.ok(),
                      SectionKind::kStoredChunks, section.size(), "no whole entries")) {
    return;
  }
  const std::span<const StoredChunk> table = *chunks;
  const StoredChunk& last = table.back();
  findings.Check(table.front().offset == 0 && table.front().first_doc == 0 &&
                     last.offset == view.RawSection(SectionKind::kStoredBytes).size() &&
                     last.first_doc == segment.doc_count() && last.raw_bytes == 0,
                 SectionKind::kStoredChunks, 0, "the chunks do not divide the documents");
  for (uint64_t i = 0; i + 1 < count && !findings.full(); ++i) {
    const uint64_t offset = i * sizeof(StoredChunk);
    if (!findings.Check(table[i].first_doc < table[i + 1].first_doc, SectionKind::kStoredChunks,
                        offset, "first documents do not ascend")) {
      continue;
    }
    const absl::StatusOr<std::string> raw = ReadStoredChunk(view, i);
    if (!findings.Check(raw.ok(), SectionKind::kStoredBytes, table[i].offset,
                        Message(raw.status()))) {
      continue;
    }
    findings.Check(
        ParsesAs(*raw, table[i + 1].first_doc - table[i].first_doc, view.header().field_count),
        SectionKind::kStoredBytes, table[i].offset, "the documents do not parse");
  }
}

}  // namespace

std::vector<Finding> VerifySegment(const Segment& segment, const VerifyOptions& options) {
  FindingList findings(segment.file_name(), options.max_findings);
  VerifyHeaderPage(segment.view(), findings);
  VerifySectionKinds(segment.view(), findings);
  VerifyChecksumsAndPadding(segment.view(), findings);
  VerifyPages(segment.view(), findings);
  const auto raw = segment.WithoutPageChecks();
  if (!raw.ok()) {
    findings.Add(SectionKind::kMeta, 0, Message(raw.status()));
    return findings.Take();
  }
  VerifyMeta(**raw, findings);
  VerifyDictionary(**raw, findings);
  VerifyDocuments(**raw, findings);
  if (segment.has_stored_text()) VerifyStoredText(**raw, findings);
  VerifyColumns(**raw, findings);
  return findings.Take();
}

std::vector<Finding> VerifySegmentFile(std::unique_ptr<ReadableFile> file, std::string file_name,
                                       std::optional<SegmentExpectation> expected,
                                       const VerifyOptions& options) {
  const absl::StatusOr<std::shared_ptr<const Segment>> segment =
      Segment::Open(std::move(file), file_name, expected);
  if (segment.ok()) return VerifySegment(**segment, options);
  return {
      {std::move(file_name), std::string(kHeaderPage), 0, std::string(Message(segment.status()))}};
}

}  // namespace pmdex
