// A sealed segment, mapped and read in place. Open verifies the header page and the meta section
// and checks that every section lies inside the file: work that does not grow with the segment.
// What a list or a document points to is bounds-checked when it is looked up, and the checksums of
// the pages where it lies are verified when they are first touched: whatever comes back without an
// error is what was written.
//
// Damage that is met later quarantines the segment: the first one to meet it says so with
// Quarantine, and everybody who computed from the bytes asks Health afterwards.
//
// Thread-safe: immutable after Open, but for Quarantine. Views live as long as the Segment.
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
#include "engine/segment/dictionary/term_dictionary.h"
#include "engine/segment/documents/doc_store.h"
#include "engine/segment/file/segment_view.h"
#include "engine/segment/format.h"
#include "engine/segment/postings/posting_list.h"
#include "engine/segment/sticky_status.h"
#include "pmem/directory.h"
#include "pmem/status.h"

namespace pmdex {

// What the manifest expects of the file; a mismatch is kDataLoss.
struct SegmentExpectation {
  uint64_t file_bytes = 0;
  uint32_t header_crc = 0;
  uint64_t segment_id = 0;  // 0: any
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
  // file_name is for messages. kDataLoss for damage, blocks known to be bad under anything but
  // lanes and stored text included; kUnimplemented for a newer format.
  static absl::StatusOr<std::shared_ptr<const Segment>> Open(
      std::unique_ptr<ReadableFile> file, std::string file_name,
      std::optional<SegmentExpectation> expected);

  const std::string& file_name() const { return view_.file_name(); }
  uint64_t segment_id() const;
  uint64_t file_bytes() const;
  uint32_t doc_count() const;
  bool has_positions() const;
  bool has_stored_text() const;
  uint32_t doc_entry_bytes() const { return doc_entry_bytes_; }
  AnalyzerKind analyzer() const;
  uint64_t term_count() const;
  uint64_t posting_count() const;
  uint64_t token_count() const;

  std::span<const FieldInfo> fields() const { return fields_; }  // index = FieldId
  std::optional<FieldId> FindField(std::string_view name) const;

  const TermDictionary& dictionary() const { return dictionary_; }
  // The entry of a term, or nullptr. One or two cache misses. kDataLoss when the entries on the way
  // are damaged.
  absl::StatusOr<const DictionaryEntry*> Find(FieldId field, std::string_view term) const {
    return dictionary_.Find(field, term);
  }
  // kDataLoss when the entry points outside its sections or to damaged pages. The first look at a
  // list in this process costs a pass over its lanes at the speed of the medium.
  absl::StatusOr<PostingListView> Postings(const DictionaryEntry& entry,
                                           ListParts parts = ListParts::kAll) const;

  // Its documents only, by what stands beside a term (TermIterator::documents, which those of an
  // inline list are a view of): found without reading, to be fetched side by side with others, and
  // verified before they are read. kDataLoss as above.
  absl::StatusOr<DocumentsView> LocateDocuments(const DocumentsPlace& place) const;
  void FetchDocuments(const DocumentsView& documents) const;
  absl::Status VerifyDocuments(const DocumentsView& documents) const;

  // Begins to read from the medium what Find and Postings will need, for callers with many terms:
  // first the entries of all, then, when these have come, the lists. Nothing is verified, nothing
  // waited for; little more than free for what was read before.
  void PrefetchEntry(FieldId field, std::string_view term) const {
    dictionary_.Prefetch(field, term);
  }
  void PrefetchPostings(const DictionaryEntry& entry, ListParts parts) const;
  void PrefetchPositions(const DictionaryEntry& entry) const;

  // doc_count length codes; none for a field that is not there. Verifies the whole row.
  absl::StatusOr<std::span<const uint8_t>> norms(FieldId field) const;
  absl::StatusOr<std::string_view> doc_id(DocId doc) const;
  absl::StatusOr<uint32_t> doc_token_count(DocId doc) const;
  // What doc_id will read, in two steps for callers with many documents: each for all of them
  // before the next one, which reads what the step before has fetched.
  void PrefetchDocEntry(DocId doc) const;
  void PrefetchDocId(DocId doc) const;
  // Decompresses the chunk that holds the document. Empty without stored text.
  absl::StatusOr<std::vector<StoredValue>> StoredText(DocId doc) const;

  // Sections, for `info` (sizes), `verify` and --prefault.
  const SegmentView& view() const { return view_; }
  // What was read no longer counts as memory of this process until it is read again.
  void Release() const;
  // Maps dictionaries and metadata now (see ReadableFile::Populate); whole: lanes too.
  absl::Status Prefault(bool whole) const;
  // The same file without checks of pages, for `verify`: that a page is damaged must not hide what
  // else is.
  absl::StatusOr<std::shared_ptr<const Segment>> WithoutPageChecks() const;

  // OK as long as nothing of this segment was found damaged: neither a fault of the medium (see
  // ReadableFile::Health) nor what Quarantine was told. What was computed from the bytes holds only
  // if it is still OK afterwards.
  absl::Status Health() const;
  // Nobody is to believe this segment any more, and why; the first reason stays, and a fault of the
  // medium goes before what followed from it.
  void Quarantine(const absl::Status& reason) const;
  // Passes on a status or value that came from this segment: damage (kDataLoss) quarantines it.
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
  const SegmentMeta& meta() const;
  absl::StatusOr<const DocEntry*> EntryOf(DocId doc) const;  // verified

  SegmentView view_;  // owns the mapping
  TermDictionary dictionary_;
  uint32_t doc_entry_bytes_ = 0;
  std::vector<FieldInfo> fields_;
  std::unordered_map<std::string_view, FieldId> field_ids_;  // where there are many
  mutable StickyStatus quarantine_;
};

}  // namespace pmdex
