// What a reader sees: the segments of one generation, opened and pinned. Files that later
// generations remove stay readable as long as the snapshot lives. Immutable, thread-safe, shared.
//
// A segment that is damaged, missing or unreadable is quarantined: the others answer, and
// quarantined() says what is missing. Damage met later is taken out by WithoutDamaged.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/segment/segment.h"
#include "engine/store/manifest.h"
#include "pmem/directory.h"
#include "pmem/status.h"

namespace pmdex {

// Of one field over the whole index, whatever its segments.
struct FieldStatistics {
  uint64_t doc_count = 0;  // documents that have the field: N of the similarities
  uint64_t token_count = 0;
  uint64_t posting_count = 0;
  double AverageLength() const {
    return doc_count == 0 ? 0.0 : static_cast<double>(token_count) / static_cast<double>(doc_count);
  }
};

// A listed segment that does not answer.
struct QuarantinedSegment {
  uint64_t id = 0;
  std::string file_name;
  uint64_t doc_count = 0;  // as the manifest says
  absl::Status reason;
};

class Snapshot {
 public:
  // Opens the newest valid generation. No work that grows with the index beyond its number of
  // segments. kNotFound: there is no index, or only an unfinished first build of one.
  // kUnimplemented: some file is of a newer format, and
  // nothing is opened; kResourceExhausted likewise. Other errors of a segment quarantine it.
  static absl::StatusOr<std::shared_ptr<const Snapshot>> Open(const Directory& directory);
  // Of given segments, in order (tests, merges).
  static std::shared_ptr<const Snapshot> Of(IndexSettings settings,
                                            std::vector<std::shared_ptr<const Segment>> segments);

  // The same without the segments whose health is no longer OK, or nullptr when all are well.
  std::shared_ptr<const Snapshot> WithoutDamaged() const;

  const Manifest& manifest() const { return manifest_; }
  const IndexSettings& settings() const { return manifest_.settings; }
  // Those that answer, in index order.
  std::span<const std::shared_ptr<const Segment>> segments() const { return segments_; }
  // Those that do not, in index order; empty when all is well. A caller tells the user.
  std::span<const QuarantinedSegment> quarantined() const { return quarantined_; }
  uint64_t doc_count() const { return doc_count_; }  // of the segments that answer
  // Number of the segment's first document in index order. Documents of quarantined segments keep
  // their numbers.
  uint64_t doc_base(size_t segment) const { return doc_bases_[segment]; }

  // Damaged manifests newer than the one that was opened; empty when all is well. A caller tells
  // the user.
  std::span<const absl::Status> passed_over() const { return passed_over_; }

  // Names of all fields, sorted.
  std::span<const std::string> field_names() const { return field_names_; }
  // Over the segments that answer. Zeros for a field that none of them has.
  FieldStatistics field_statistics(std::string_view field) const;

 private:
  Snapshot() = default;
  // What became of a listed segment: it, or why it is quarantined.
  struct Listed {
    std::shared_ptr<const Segment> segment;
    absl::Status reason;
  };

  absl::Status OpenSegments(const Directory& directory);
  bool IsAnyMissing() const;
  void Finish();  // everything below from listed_

  Manifest manifest_;
  std::vector<absl::Status> passed_over_;
  std::vector<Listed> listed_;  // index = manifest_.segments
  std::vector<std::shared_ptr<const Segment>> segments_;
  std::vector<QuarantinedSegment> quarantined_;
  std::vector<uint64_t> doc_bases_;  // index = segments_
  uint64_t doc_count_ = 0;
  std::vector<std::string> field_names_;
  std::vector<FieldStatistics> field_statistics_;  // index = field_names_
};

}  // namespace pmdex
