// The segments of one generation of an index, opened for reading. Its files stay readable as long
// as the snapshot lives, even if later generations remove them. Immutable and thread-safe.
//
// A segment that is damaged, missing or unreadable is quarantined, and so is one whose file of live
// documents is, unless the index keeps a sound copy of it, which then takes its place. The other
// segments can be searched, and quarantined() lists those that are missing. WithoutDamaged does the
// same for segments in which damage is found later.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"

#include "engine/segment/live_docs.h"
#include "engine/segment/segment.h"
#include "engine/store/document_ids.h"
#include "engine/store/manifest.h"
#include "pmem/directory.h"
#include "pmem/mutex.h"
#include "pmem/status.h"

namespace pmdex {

class ReadablePlaces;

// Stands for a field that a segment does not have.
inline constexpr FieldId kNoField = 0xffff;

// The statistics of one field over all segments.
struct FieldStatistics {
  uint64_t doc_count = 0;  // documents that have the field; N in the formulas of similarities
  uint64_t token_count = 0;
  uint64_t posting_count = 0;
  double AverageLength() const {
    return doc_count == 0 ? 0.0 : static_cast<double>(token_count) / static_cast<double>(doc_count);
  }
};

// A segment that the manifest lists and that cannot be searched.
struct QuarantinedSegment {
  uint64_t id = 0;
  std::string file_name;
  uint64_t doc_count = 0;  // of live documents, from the manifest
  absl::Status reason;
  Tier tier = Tier::kUncompressed;
  std::string place;  // the directory; empty if it is that of the index
};

struct SnapshotOptions {
  // The units of compressed segments are read past the page cache, through this cache. nullptr:
  // they are read from the mapping.
  std::shared_ptr<BlockCache> unit_cache = nullptr;
  // The name of the analyzer that the caller brings (manifest.h); empty: none.
  std::string_view custom_analyzer;
  // Any index may be opened, whatever its analyzer. For callers that analyse no text: merges and
  // copies.
  bool any_analyzer = false;
};

inline SnapshotOptions WithoutAnalysis() {
  return {nullptr, {}, true};
}

class Snapshot {
 public:
  // Opens the newest valid generation. Its cost grows with the number of segments only. Returns
  // kNotFound if there is no index, or only an unfinished first build; kUnimplemented if a file has
  // a newer format; and kResourceExhausted if opening a file fails so. Segments with other errors
  // are quarantined. Returns kFailedPrecondition if options.custom_analyzer is not that of the
  // index, or if the index has none.
  static absl::StatusOr<std::shared_ptr<const Snapshot>> Open(const Directory& directory,
                                                              const SnapshotOptions& options = {});
  // The same, for an index of which an earlier snapshot is open: segments that the newest
  // generation lists alike are shared with it, so that they are neither mapped nor checked anew.
  static absl::StatusOr<std::shared_ptr<const Snapshot>> OpenAfter(
      const Snapshot& earlier, const Directory& directory, const SnapshotOptions& options = {});
  // A snapshot of these segments in this order, for tests and live indexes.
  // live_docs: indexed like the segments; nullptr where all documents are live; empty if they are
  // in all segments.
  static std::shared_ptr<const Snapshot> Of(
      IndexSettings settings, std::vector<std::shared_ptr<const Segment>> segments,
      std::vector<std::shared_ptr<const LiveDocs>> live_docs = {});

  // A snapshot in which segments are quarantined whose Health is not OK any more. Returns nullptr
  // if there are none.
  std::shared_ptr<const Snapshot> WithoutDamaged() const;
  // A snapshot in which these documents count as deleted, too. docs: indexed like segments().
  std::shared_ptr<const Snapshot> WithoutDocs(std::span<const std::vector<DocId>> docs) const;

  // The cache through which units of compressed segments are read; nullptr if they are mapped.
  BlockCache* unit_cache() const { return unit_cache_.get(); }
  const Manifest& manifest() const { return manifest_; }
  const IndexSettings& settings() const { return manifest_.settings; }
  // The segments that can be searched, in index order.
  std::span<const std::shared_ptr<const Segment>> segments() const { return segments_; }
  // What the manifest says of segments()[segment].
  const ManifestSegment& listed(size_t segment) const {
    return manifest_.segments[manifest_indices_[segment]];
  }
  // The index of segments()[segment] in the manifest.
  size_t manifest_index(size_t segment) const { return manifest_indices_[segment]; }
  // The directory of segments()[segment], or empty if it is that of the index.
  std::string_view place(size_t segment) const { return PlaceOf(listed(segment)); }
  // The other segments, in index order. Callers tell the user about them.
  std::span<const QuarantinedSegment> quarantined() const { return quarantined_; }
  // Segments that are damaged, missing or unreadable, and in whose place their kept copies stand in
  // segments(). The answers are whole. Callers tell the user.
  std::span<const QuarantinedSegment> replaced() const { return replaced_; }
  // The documents of segments()[segment] that are not deleted; nullptr if all are live.
  const LiveDocs* live_docs(size_t segment) const {
    return listed_[manifest_indices_[segment]].live_docs.get();
  }
  // The documents of segments(), deleted ones included, and those that are not deleted.
  uint64_t doc_count() const { return doc_count_; }
  uint64_t live_doc_count() const { return live_doc_count_; }
  // The number of documents before those of segments()[segment]. Documents of quarantined segments
  // are counted, too, so that the number of a document does not change.
  uint64_t doc_base(size_t segment) const { return doc_bases_[segment]; }

  // The number in index order of the latest document with this id; nullopt if there is none in
  // segments(). Deleted documents are not found. The first call reads the ids of all documents
  // (document_ids.h), and calls at the same time wait for it. kDataLoss if a segment is damaged.
  absl::StatusOr<std::optional<uint64_t>> FindDocument(std::string_view id) const;
  // The numbers of all documents with this id, ascending. Otherwise like FindDocument.
  absl::StatusOr<std::vector<uint64_t>> FindDocuments(std::string_view id) const;
  // True once the first call has read the ids. Does not wait.
  bool HasIdTable() const { return has_ids_.load(std::memory_order_acquire); }

  // What is wrong with damaged manifests that are newer than the one that was opened. Callers tell
  // the user about them.
  std::span<const absl::Status> passed_over() const { return passed_over_; }

  // The names of all fields, sorted.
  std::span<const std::string> field_names() const { return field_names_; }
  // The number of a field in each of segments(), kNoField where a segment does not have it. Empty
  // for a field that none of them has.
  std::span<const FieldId> field_ids(std::string_view field) const;
  // The statistics over segments(). Zeros for a field that none of them has.
  FieldStatistics field_statistics(std::string_view field) const;

 private:
  Snapshot() = default;
  // The index of a name in field_names_; their number if there is no such field.
  size_t FieldIndex(std::string_view field) const;
  // The same segments, before Finish.
  std::shared_ptr<Snapshot> CopyOpened() const;
  // A listed segment: open, or not for this reason. Its copy is open from the start, because
  // damage may be found at any time; nullptr if there is none that can be opened.
  struct Listed {
    const std::shared_ptr<const Segment>& Answering() const {
      return segment != nullptr ? segment : copy;
    }
    std::shared_ptr<const Segment> segment;
    std::shared_ptr<const Segment> copy;
    std::shared_ptr<const LiveDocs> live_docs;  // nullptr: all documents are live
    absl::Status reason;
  };

  // earlier: OpenAfter; may be nullptr.
  static absl::StatusOr<std::shared_ptr<const Snapshot>> OpenNewest(const Snapshot* earlier,
                                                                    const Directory& directory,
                                                                    const SnapshotOptions& options);
  absl::Status OpenSegments(const Snapshot* earlier, const Directory& directory,
                            const SnapshotOptions& options);
  static absl::StatusOr<Listed> OpenListed(const Snapshot* earlier, const ReadablePlaces& places,
                                           const ManifestSegment& listed,
                                           const SnapshotOptions& options);
  // The sound segment that is open for this entry of a manifest; nullptr if there is none.
  std::shared_ptr<const Segment> OpenedFor(const ManifestSegment& listed) const;
  std::string_view PlaceOf(const ManifestSegment& listed) const;
  bool IsAnyMissing() const;
  absl::StatusOr<const DocumentIds*> Ids() const;
  void Finish();  // computes all members below listed_

  Manifest manifest_;
  std::shared_ptr<BlockCache> unit_cache_;
  std::vector<absl::Status> passed_over_;
  std::vector<Listed> listed_;  // indexed like manifest_.segments
  std::vector<std::shared_ptr<const Segment>> segments_;
  std::vector<QuarantinedSegment> quarantined_;
  std::vector<QuarantinedSegment> replaced_;
  std::vector<size_t> manifest_indices_;  // of segments_ in manifest_.segments
  std::vector<uint64_t> doc_bases_;       // indexed like segments_
  uint64_t doc_count_ = 0;
  uint64_t live_doc_count_ = 0;
  std::vector<std::string> field_names_;
  std::vector<FieldStatistics> field_statistics_;  // indexed like field_names_
  std::vector<FieldId> field_ids_;                 // for each of field_names_, of all segments_

  mutable Mutex ids_mutex_;
  mutable std::unique_ptr<const DocumentIds> ids_ ABSL_GUARDED_BY(ids_mutex_);  // once looked up
  mutable std::atomic<bool> has_ids_ = false;                                   // ids_ is there
};

}  // namespace pmdex
