// What a reader sees: the segments of one generation, opened and pinned. Files that later
// generations remove stay readable as long as the snapshot lives. Immutable, thread-safe, shared.
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

class Snapshot {
 public:
  // Opens the newest valid generation. No work that grows with the index beyond its number of
  // segments. kNotFound: there is no index.
  static absl::StatusOr<std::shared_ptr<const Snapshot>> Open(const Directory& directory);
  // Of given segments, in order (tests, merges).
  static std::shared_ptr<const Snapshot> Of(IndexSettings settings,
                                            std::vector<std::shared_ptr<const Segment>> segments);

  const Manifest& manifest() const { return manifest_; }
  const IndexSettings& settings() const { return manifest_.settings; }
  std::span<const std::shared_ptr<const Segment>> segments() const { return segments_; }
  uint64_t doc_count() const { return doc_count_; }
  // Number of the segment's first document in index order.
  uint64_t doc_base(size_t segment) const { return doc_bases_[segment]; }

  // Damaged manifests newer than the one that was opened; empty when all is well. A caller tells
  // the user.
  std::span<const absl::Status> passed_over() const { return passed_over_; }

  // Names of all fields, sorted.
  std::span<const std::string> field_names() const { return field_names_; }
  // Zeros for a field that no segment has.
  FieldStatistics field_statistics(std::string_view field) const;

 private:
  Snapshot() = default;
  void Finish();

  Manifest manifest_;
  std::vector<absl::Status> passed_over_;
  std::vector<std::shared_ptr<const Segment>> segments_;
  std::vector<uint64_t> doc_bases_;
  uint64_t doc_count_ = 0;
  std::vector<std::string> field_names_;
  std::vector<FieldStatistics> field_statistics_;  // index = field_names_
};

}  // namespace pmdex
