// A sealed segment, mapped and read in place. Open verifies the header page and the meta section,
// and that every section lies inside the file. This work does not grow with the segment. Offsets of
// lists and documents are checked when they are followed, and the checksum of a page is verified
// when a reader first touches the page. Bytes that are returned without an error are those that
// were written.
//
// A reader that meets damage later calls Quarantine. All readers call Health after they have
// computed something from the bytes, and drop their result if it is not OK.
//
// Thread-safe. Immutable after Open except for Quarantine. Views are valid as long as the Segment.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/analysis/analyzer.h"
#include "engine/columns/column_table.h"
#include "engine/segment/compressed/compressed_list_reader.h"
#include "engine/segment/dictionary/term_dictionary.h"
#include "engine/segment/dictionary/term_iterator.h"
#include "engine/segment/documents/doc_ids.h"
#include "engine/segment/documents/doc_store.h"
#include "engine/segment/file/segment_view.h"
#include "engine/segment/format.h"
#include "engine/segment/postings/posting_list.h"
#include "engine/segment/sticky_status.h"
#include "pmem/directory.h"
#include "pmem/status.h"

namespace pmdex {

// What the manifest says of the file.
struct SegmentExpectation {
  uint64_t file_bytes = 0;
  uint32_t header_crc = 0;
  uint64_t segment_id = 0;  // 0 stands for any id
};

struct FieldInfo {
  std::string_view name;
  uint64_t doc_count = 0;
  uint64_t token_count = 0;
  uint64_t posting_count = 0;
  uint64_t term_count = 0;
};

class Segment {
 public:
  // file_name: for messages. Returns kDataLoss if the file is damaged or is not what was expected,
  // and if a known bad block lies under another section than postings, positions and stored text.
  // Returns kUnimplemented for a newer or an older format. units: how the units of a compressed
  // segment are read; without a file, and for an uncompressed segment, they are read from the
  // mapping.
  static absl::StatusOr<std::shared_ptr<const Segment>> Open(
      std::unique_ptr<ReadableFile> file, std::string file_name,
      std::optional<SegmentExpectation> expected, UncachedUnits units = {});

  const std::string& file_name() const { return view_.file_name(); }
  uint64_t segment_id() const;
  uint64_t file_bytes() const;
  uint32_t doc_count() const;
  bool has_positions() const;
  bool has_stored_text() const;
  bool is_compressed() const { return view_.is_compressed(); }
  uint32_t doc_entry_bytes() const { return doc_ids_.entry_bytes(); }
  AnalyzerKind analyzer() const;
  uint64_t term_count() const;
  uint64_t posting_count() const;
  uint64_t token_count() const;

  std::span<const FieldInfo> fields() const { return fields_; }  // indexed by FieldId
  std::optional<FieldId> FindField(std::string_view name) const;

  // The columns by name: the values of fields that are not text.
  std::span<const ColumnView> columns() const { return columns_.columns(); }
  // nullptr if no document of the segment has a value of this field.
  const ColumnView* FindColumn(std::string_view name) const { return columns_.Find(name); }

  const TermDictionary& dictionary() const { return dictionary_; }
  // The entry of a term, or nullopt if the segment does not have the term. Costs one or two cache
  // misses, one after the other. Returns kDataLoss if the bytes that it must read are damaged.
  // first: as in TermDictionary::Find.
  absl::StatusOr<std::optional<DictionaryEntry>> Find(
      FieldId field, std::string_view term, DictionaryTable first = DictionaryTable::kRare) const {
    return dictionary_.Find(field, term, first);
  }
  absl::StatusOr<bool> Find(FieldId field, HashedTerm& term, DictionaryTable first,
                            DictionaryEntry& entry) const {
    return dictionary_.Find(field, term, first, entry);
  }
  // The posting list of an entry. Returns kDataLoss if the entry points outside its sections or to
  // damaged pages. The first call for a list in this process reads all its lanes, to verify them.
  // The view of an inline list refers to the entry, which must outlive it.
  absl::StatusOr<PostingListView> Postings(const DictionaryEntry& entry,
                                           ListParts parts = ListParts::kAll,
                                           ListLoading loading = ListLoading::kWhole) const;
  absl::StatusOr<PostingListView> Postings(
      DictionaryEntry&& entry, ListParts parts = ListParts::kAll,
      ListLoading loading = ListLoading::kWhole) const = delete;

  // The best points of an entry's list; zeros for a list of one block. kDataLoss if they are
  // damaged.
  absl::StatusOr<BestPoints> BestOf(const DictionaryEntry& entry) const;

  // The documents of a term only, for callers with many terms. Call LocateDocuments and
  // FetchDocuments for all of them, then VerifyDocuments for each before it is read; UnitDocuments
  // reads those of a compressed list. place: from
  // TermIterator::documents; it must outlive the view of an inline list. LocateDocuments reads
  // nothing of the list. Returns kDataLoss as Postings does.
  absl::StatusOr<DocumentsView> LocateDocuments(const DocumentsPlace& place) const;
  void FetchDocuments(const DocumentsView& documents) const;
  absl::Status VerifyDocuments(const DocumentsView& documents) const;
  // Requires documents of a compressed list that has neither docids nor bits.
  UnitDocuments CompressedDocuments(const DocumentsView& documents) const;

  // Begin to read from the medium what Find and Postings will read, for callers with many terms.
  // Call PrefetchEntry for all terms, then Find and PrefetchPostings for all of them, then
  // Postings. They wait for nothing, verify nothing, and cost little if the bytes were read before.
  void PrefetchEntry(FieldId field, HashedTerm& term) const { dictionary_.Prefetch(field, term); }
  void PrefetchPostings(const DictionaryEntry& entry, ListParts parts) const;
  void PrefetchPositions(const DictionaryEntry& entry) const;
  // The same for units that are read past the page cache: append what to fetch (BlockCache::Fetch)
  // before Postings. Positions are appended with the list if `positions` is true.
  void AppendUncached(const DictionaryEntry& entry, bool positions,
                      std::vector<BlockCache::Range>& ranges) const;

  // The doc_count length codes of a field; empty if the segment does not have the field. Verifies
  // all of them.
  absl::StatusOr<std::span<const uint8_t>> norms(FieldId field) const;
  // The id of a document, as a view of the mapping or of `buffer`, whose content is replaced. The
  // other call copies it.
  absl::StatusOr<std::string_view> doc_id(DocId doc, std::string& buffer) const {
    return doc_ids_.Read(doc, buffer);
  }
  absl::StatusOr<std::string> doc_id(DocId doc) const;
  // Begin to read what doc_id will read, for callers with many documents. Call PrefetchDocPlace for
  // all of them, then PrefetchDocId for all, then doc_id.
  void PrefetchDocPlace(DocId doc) const { doc_ids_.PrefetchPlace(doc); }
  void PrefetchDocId(DocId doc) const { doc_ids_.PrefetchId(doc); }
  // The stored values of a document, from the chunk that it decompresses. Empty without stored
  // text. last: for callers that read many documents.
  absl::StatusOr<std::vector<StoredValue>> StoredText(DocId doc) const;
  absl::StatusOr<std::vector<StoredValue>> StoredText(DocId doc, LastStoredChunk& last) const;
  // The record that the document was read from, byte by byte; nullopt if it is not stored. last: as
  // in StoredText.
  absl::StatusOr<std::optional<std::string>> OriginalRecord(DocId doc) const;
  absl::StatusOr<std::optional<std::string>> OriginalRecord(DocId doc, LastStoredChunk& last) const;

  // The sections, for `info`, `verify` and --prefault.
  const SegmentView& view() const { return view_; }
  // Unmaps the pages that were read, so that they do not count as memory of this process until they
  // are read again.
  void Release() const;
  // Maps the dictionary and all metadata now (ReadableFile::Populate). whole: maps postings and
  // positions, too.
  absl::Status Prefault(bool whole) const;
  // The same file without checks of pages, for `verify`, which reports all damage and not only the
  // first damaged page.
  absl::StatusOr<std::shared_ptr<const Segment>> WithoutPageChecks() const;

  // OK until the medium fails a load (ReadableFile::Health) or Quarantine is called. Results that
  // were computed from this segment are right only if Health is OK after the computation.
  absl::Status Health() const {
    const bool is_healthy =
        quarantine_.ok() && view_.file().is_healthy() && !view_.has_reported_damage();
    return is_healthy ? absl::OkStatus() : Damage();
  }
  // Makes Health return `reason` from now on. The first reason stays. If the medium has failed a
  // load, that error becomes the reason, because the damage follows from it.
  void Quarantine(const absl::Status& reason) const;
  // Returns its argument, a status or StatusOr that this segment returned. Calls Quarantine first
  // if it is kDataLoss.
  template <typename T>
  T Checked(T result) const {
    if (absl::IsDataLoss(StatusOf(result))) Quarantine(StatusOf(result));
    return result;
  }

 private:
  static const absl::Status& StatusOf(const absl::Status& status) { return status; }
  template <typename T>
  static const absl::Status& StatusOf(const absl::StatusOr<T>& result) {
    return result.status();
  }

  static absl::StatusOr<std::shared_ptr<const Segment>> Of(
      SegmentView view, std::optional<SegmentExpectation> expected);
  Segment() = default;
  absl::Status Load(std::optional<SegmentExpectation> expected);
  absl::Status Damage() const;  // Health where it is not OK
  const SegmentMeta& meta() const;

  SegmentView view_;  // owns the mapping
  TermDictionary dictionary_;
  ColumnTable columns_;
  DocIds doc_ids_;
  std::vector<FieldInfo> fields_;
  std::unordered_map<std::string_view, FieldId> field_ids_;  // empty if there are few fields
  mutable StickyStatus quarantine_;
};

}  // namespace pmdex
