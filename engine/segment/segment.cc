#include "engine/segment/segment.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/str_cat.h"

#include "engine/segment/documents/doc_entries.h"
#include "engine/segment/postings/posting_list_reader.h"
#include "pmem/checksum.h"
#include "pmem/text.h"

namespace pmdex {
namespace {

// For few names comparisons are faster than a hash table.
constexpr size_t kFewFields = 16;

const SectionEntry* FindSection(const SegmentView& view, SectionKind kind) {
  for (const SectionEntry& entry : view.sections()) {
    if (entry.kind == kind) return &entry;
  }
  return nullptr;
}

absl::Status CheckExpectation(const SegmentView& view, const SegmentExpectation& expected) {
  if (expected.segment_id != 0 && view.header().segment_id != expected.segment_id) {
    return DataLoss(absl::StrCat(view.file_name(), ": this is another segment: expected segment ",
                                 expected.segment_id, ", found ", view.header().segment_id));
  }
  if (view.bytes().size() != expected.file_bytes) {
    return DataLoss(absl::StrCat(view.file_name(), ": the file has ", view.bytes().size(),
                                 " bytes, the manifest expects ", expected.file_bytes));
  }
  if (view.header_crc() != expected.header_crc) {
    return DataLoss(absl::StrCat(view.file_name(), ": the header's checksum is ",
                                 absl::Hex(view.header_crc(), absl::kZeroPad8),
                                 ", the manifest expects ",
                                 absl::Hex(expected.header_crc, absl::kZeroPad8)));
  }
  return absl::OkStatus();
}

bool IsOfUnits(SectionKind kind) {
  return kind == SectionKind::kCompressedUnits || kind == SectionKind::kPositionUnits;
}

// Bad blocks under postings, positions, stored text and columns are left to the queries that need
// them, so that one damaged list does not make a large segment unusable. Every query needs the
// other sections.
bool IsReadOnDemand(SectionKind kind) {
  return kind == SectionKind::kPostings || kind == SectionKind::kPositions ||
         kind == SectionKind::kStoredBytes || kind == SectionKind::kNumericColumns ||
         IsOfUnits(kind);
}

absl::Status CheckBadBlocks(const SegmentView& view) {
  for (const BadBlock& block : view.file().known_bad_blocks()) {
    for (const SectionEntry& entry : view.sections()) {
      const uint64_t begin = std::max(entry.offset, block.offset);
      const uint64_t end =
          std::min(entry.offset + entry.size_bytes, block.offset + block.size_bytes);
      if (begin >= end || IsReadOnDemand(entry.kind)) continue;
      return view.Damage(entry.kind, begin - entry.offset,
                         absl::StrCat("a block known to be bad covers ", end - begin, " bytes"));
    }
  }
  return absl::OkStatus();
}

// The meta section. Verifies its checksum, before any other section is read.
absl::StatusOr<const SegmentMeta*> OpenMeta(const SegmentView& view) {
  const SectionEntry* entry = FindSection(view, SectionKind::kMeta);
  if (entry == nullptr) return view.Damage(SectionKind::kMeta, 0, "missing");
  PMDEX_RETURN_IF_ERROR(view.file().Populate(entry->offset, entry->size_bytes));
  PMDEX_ASSIGN_OR_RETURN(const auto meta, view.Array<SegmentMeta>(SectionKind::kMeta, 0, 1));
  if (Xxh3(view.RawSection(SectionKind::kMeta)) != entry->checksum) {
    return view.Damage(SectionKind::kMeta, 0, "the checksum does not match");
  }
  if (meta[0].analyzer > static_cast<uint8_t>(kLastAnalyzerKind)) {
    return view.Damage(SectionKind::kMeta, offsetof(SegmentMeta, analyzer), "unknown analyzer");
  }
  if (!IsDocEntrySize(meta[0].doc_entry_bytes)) {
    return view.Damage(SectionKind::kMeta, offsetof(SegmentMeta, doc_entry_bytes),
                       absl::StrCat("entries of documents have ", meta[0].doc_entry_bytes,
                                    " bytes, which is no size they come in"));
  }
  return &meta[0];
}

absl::StatusOr<std::span<const FieldEntry>> OpenFields(const SegmentView& view) {
  const uint64_t count = view.header().field_count;
  if (count > uint64_t{1} << 16) {
    return view.Damage(SectionKind::kMeta, 0, "too many fields");
  }
  PMDEX_ASSIGN_OR_RETURN(const auto bytes, view.Slice(SectionKind::kMeta, sizeof(SegmentMeta),
                                                      count * sizeof(FieldEntry)));
  return std::span<const FieldEntry>(reinterpret_cast<const FieldEntry*>(bytes.data()), count);
}

absl::Status CheckNorms(const SegmentView& view) {
  const FileHeader& header = view.header();
  const uint64_t expected = header.field_count * AlignUp(header.doc_count, kNormRowAlignment);
  const uint64_t size_bytes = view.RawSection(SectionKind::kNorms).size();
  if (size_bytes == expected) return absl::OkStatus();
  return view.Damage(SectionKind::kNorms, 0,
                     absl::StrCat("has ", size_bytes, " bytes, expected ", expected));
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Segment>> Segment::Open(
    std::unique_ptr<ReadableFile> file, std::string file_name,
    std::optional<SegmentExpectation> expected, UncachedUnits units) {
  PMDEX_ASSIGN_OR_RETURN(SegmentView view,
                         SegmentView::Open(std::move(file), std::move(file_name)));
  if (units.file != nullptr && view.is_compressed()) view.ReadUncached(std::move(units));
  PMDEX_ASSIGN_OR_RETURN(std::shared_ptr<const Segment> segment, Of(std::move(view), expected));
  // The kernel has mapped about half a MiB around each page that was read. With many segments this
  // adds up.
  segment->Release();
  return segment;
}

absl::StatusOr<std::shared_ptr<const Segment>> Segment::WithoutPageChecks() const {
  return Of(view_.WithoutPageChecks(), std::nullopt);
}

absl::StatusOr<std::shared_ptr<const Segment>> Segment::Of(
    SegmentView opened, std::optional<SegmentExpectation> expected) {
  std::shared_ptr<Segment> segment(new Segment());
  segment->view_ = std::move(opened);
  const absl::Status loaded = segment->Load(expected);
  // Bytes that the medium failed to read are zeros, which fail some check. Report the cause.
  PMDEX_RETURN_IF_ERROR(segment->Health());
  PMDEX_RETURN_IF_ERROR(loaded);
  return std::shared_ptr<const Segment>(std::move(segment));
}

absl::Status Segment::Load(std::optional<SegmentExpectation> expected) {
  const SegmentView& view = view_;
  if (expected.has_value()) PMDEX_RETURN_IF_ERROR(CheckExpectation(view, *expected));
  PMDEX_RETURN_IF_ERROR(CheckBadBlocks(view));
  PMDEX_ASSIGN_OR_RETURN(const SegmentMeta* meta, OpenMeta(view));
  PMDEX_ASSIGN_OR_RETURN(const std::span<const FieldEntry> fields, OpenFields(view));
  for (const FieldEntry& entry : fields) {
    PMDEX_ASSIGN_OR_RETURN(const auto name,
                           view.Slice(SectionKind::kMeta, entry.name_offset, entry.name_bytes));
    fields_.push_back({{reinterpret_cast<const char*>(name.data()), name.size()},
                       entry.doc_count,
                       entry.token_count,
                       entry.posting_count,
                       entry.term_count});
  }
  // If two fields have the same name, the first one is found, as in a linear search.
  for (size_t i = 0; fields_.size() > kFewFields && i < fields_.size(); ++i) {
    field_ids_.try_emplace(fields_[i].name, static_cast<FieldId>(i));
  }
  PMDEX_RETURN_IF_ERROR(CheckNorms(view));
  PMDEX_ASSIGN_OR_RETURN(doc_ids_, DocIds::Open(view, *meta));
  PMDEX_ASSIGN_OR_RETURN(dictionary_, TermDictionary::Open(view, *meta, fields));
  PMDEX_ASSIGN_OR_RETURN(columns_, ColumnTable::Open(view));
  return absl::OkStatus();
}

const SegmentMeta& Segment::meta() const {
  return *reinterpret_cast<const SegmentMeta*>(view_.RawSection(SectionKind::kMeta).data());
}

uint64_t Segment::segment_id() const {
  return view_.header().segment_id;
}
uint64_t Segment::file_bytes() const {
  return view_.bytes().size();
}
uint32_t Segment::doc_count() const {
  return view_.header().doc_count;
}
bool Segment::has_positions() const {
  return (view_.header().flags & kSegmentHasPositions) != 0;
}
bool Segment::has_stored_text() const {
  return (view_.header().flags & kSegmentHasStoredText) != 0;
}
AnalyzerKind Segment::analyzer() const {
  return static_cast<AnalyzerKind>(meta().analyzer);
}
uint64_t Segment::term_count() const {
  return meta().term_count;
}
uint64_t Segment::posting_count() const {
  return meta().posting_count;
}
uint64_t Segment::token_count() const {
  return meta().token_count;
}

std::optional<FieldId> Segment::FindField(std::string_view name) const {
  if (fields_.size() > kFewFields) {
    const auto found = field_ids_.find(name);
    return found == field_ids_.end() ? std::nullopt : std::optional(found->second);
  }
  for (size_t i = 0; i < fields_.size(); ++i) {
    if (fields_[i].name == name) return static_cast<FieldId>(i);
  }
  return std::nullopt;
}

absl::StatusOr<PostingListView> Segment::Postings(const DictionaryEntry& entry, ListParts parts,
                                                  ListLoading loading) const {
  return ReadPostingList(view_, entry, parts, loading);
}

absl::StatusOr<BestPoints> Segment::BestOf(const DictionaryEntry& entry) const {
  return ReadBestPoints(view_, entry);
}

absl::StatusOr<DocumentsView> Segment::LocateDocuments(const DocumentsPlace& place) const {
  return pmdex::LocateDocuments(view_, place);
}

void Segment::FetchDocuments(const DocumentsView& documents) const {
  pmdex::FetchDocuments(view_, documents);
}

absl::Status Segment::VerifyDocuments(const DocumentsView& documents) const {
  return pmdex::VerifyDocuments(view_, documents);
}

UnitDocuments Segment::CompressedDocuments(const DocumentsView& documents) const {
  const std::byte* const section = view_.RawSection(SectionKind::kCompressedUnits).data();
  return {view_, static_cast<uint64_t>(documents.mapped.data() - section), documents.df};
}

void Segment::PrefetchPostings(const DictionaryEntry& entry, ListParts parts) const {
  PrefetchPostingList(view_, entry, parts);
}

void Segment::PrefetchPositions(const DictionaryEntry& entry) const {
  pmdex::PrefetchPositions(view_, entry);
}

void Segment::AppendUncached(const DictionaryEntry& entry, bool positions,
                             std::vector<BlockCache::Range>& ranges) const {
  AppendUnitRanges(view_, entry, ranges);
  if (positions) AppendPositionRanges(view_, entry, ranges);
}

absl::StatusOr<std::span<const uint8_t>> Segment::norms(FieldId field) const {
  if (field >= fields_.size()) return std::span<const uint8_t>();
  const uint64_t row_bytes = AlignUp(doc_count(), kNormRowAlignment);
  return view_.Array<uint8_t>(SectionKind::kNorms, field * row_bytes, doc_count());
}

absl::StatusOr<std::string> Segment::doc_id(DocId doc) const {
  std::string buffer;
  PMDEX_ASSIGN_OR_RETURN(const std::string_view id, doc_id(doc, buffer));
  return std::string(id);
}

absl::StatusOr<std::vector<StoredValue>> Segment::StoredText(DocId doc) const {
  LastStoredChunk last;
  return StoredText(doc, last);
}

absl::StatusOr<std::vector<StoredValue>> Segment::StoredText(DocId doc,
                                                             LastStoredChunk& last) const {
  if (!has_stored_text()) return std::vector<StoredValue>();
  return ReadStoredText(view_, doc, last);
}

absl::StatusOr<std::optional<std::string>> Segment::OriginalRecord(DocId doc) const {
  LastStoredChunk last;
  return OriginalRecord(doc, last);
}

absl::StatusOr<std::optional<std::string>> Segment::OriginalRecord(DocId doc,
                                                                   LastStoredChunk& last) const {
  if (!has_stored_text()) return std::optional<std::string>();
  return ReadOriginalRecord(view_, doc, last);
}

absl::Status Segment::Prefault(bool whole) const {
  const bool is_uncached = view_.uncached_units() != nullptr;
  if (whole && !is_uncached) return view_.file().Populate(0, view_.bytes().size());
  for (const SectionEntry& entry : view_.sections()) {
    if (whole ? IsOfUnits(entry.kind) : IsReadOnDemand(entry.kind)) continue;
    PMDEX_RETURN_IF_ERROR(view_.file().Populate(entry.offset, entry.size_bytes));
  }
  return absl::OkStatus();
}

void Segment::Release() const {
  view_.file().Release(0, view_.bytes().size());
}

void Segment::Quarantine(const absl::Status& reason) const {
  const absl::Status medium = view_.file().Health();
  quarantine_.Set(medium.ok() ? reason : medium);
}

absl::Status Segment::Damage() const {
  PMDEX_RETURN_IF_ERROR(quarantine_.Get());
  // What a medium fails to read is zeros, which look like damage. Report the cause.
  PMDEX_RETURN_IF_ERROR(view_.file().Health());
  return view_.reported_damage();
}

}  // namespace pmdex
