#include "engine/store/snapshot.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

#include "engine/segment/segment_writer.h"
#include "pmem/text.h"

namespace pmdex {
namespace {

// A writer may replace the generation between reading its manifest and opening its segments; the
// next manifest is then already there. More often than this in a row is no race any more.
constexpr int kMaxOpenAttempts = 16;

absl::StatusOr<std::vector<std::shared_ptr<const Segment>>> OpenSegments(const Directory& directory,
                                                                         const Manifest& manifest) {
  std::vector<std::shared_ptr<const Segment>> segments;
  segments.reserve(manifest.segments.size());
  for (const ManifestSegment& listed : manifest.segments) {
    if (listed.tier != Tier::kUncompressed || listed.live_docs_generation != 0) {
      return MakeStatus(
          absl::StatusCode::kUnimplemented,
          absl::StrCat("segment ", listed.id, " has a tier or deletions of a newer pmdex"));
    }
    const std::string name = SegmentFileName(listed.id);
    PMDEX_ASSIGN_OR_RETURN(auto file, directory.Open(name));
    PMDEX_ASSIGN_OR_RETURN(auto segment,
                           Segment::Open(std::move(file), name,
                                         SegmentExpectation{listed.file_bytes, listed.header_crc}));
    segments.push_back(std::move(segment));
  }
  return segments;
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Snapshot>> Snapshot::Open(const Directory& directory) {
  for (int attempt = 1;; ++attempt) {
    auto snapshot = std::shared_ptr<Snapshot>(new Snapshot());
    PMDEX_ASSIGN_OR_RETURN(snapshot->manifest_,
                           LoadNewestManifest(directory, &snapshot->passed_over_));
    auto segments = OpenSegments(directory, snapshot->manifest_);
    if (segments.ok()) {
      snapshot->segments_ = *std::move(segments);
      snapshot->Finish();
      return std::shared_ptr<const Snapshot>(std::move(snapshot));
    }
    if (!absl::IsNotFound(segments.status())) return segments.status();
    const auto newer = LoadNewestManifest(directory, nullptr);
    const bool replaced = newer.ok() && newer->generation > snapshot->manifest_.generation;
    if (!replaced || attempt == kMaxOpenAttempts) {
      return DataLoss(absl::StrCat("a segment that the manifest lists is missing: ",
                                   ToAbsl(Message(segments.status()))));
    }
  }
}

std::shared_ptr<const Snapshot> Snapshot::Of(IndexSettings settings,
                                             std::vector<std::shared_ptr<const Segment>> segments) {
  auto snapshot = std::shared_ptr<Snapshot>(new Snapshot());
  snapshot->manifest_.settings = settings;
  for (const auto& segment : segments) {
    ManifestSegment listed;
    listed.id = segment->segment_id();
    listed.file_bytes = segment->file_bytes();
    listed.doc_count = segment->doc_count();
    snapshot->manifest_.segments.push_back(listed);
  }
  snapshot->segments_ = std::move(segments);
  snapshot->Finish();
  return snapshot;
}

FieldStatistics Snapshot::field_statistics(std::string_view field) const {
  const auto found = std::lower_bound(field_names_.begin(), field_names_.end(), field);
  if (found == field_names_.end() || *found != field) return {};
  return field_statistics_[static_cast<size_t>(found - field_names_.begin())];
}

void Snapshot::Finish() {
  std::map<std::string, FieldStatistics, std::less<>> fields;
  for (const auto& segment : segments_) {
    doc_bases_.push_back(doc_count_);
    doc_count_ += segment->doc_count();
    for (const FieldInfo& field : segment->fields()) {
      FieldStatistics& total = fields[std::string(field.name)];
      total.doc_count += field.doc_count;
      total.token_count += field.token_count;
      total.posting_count += field.posting_count;
    }
  }
  for (auto& [name, statistics] : fields) {
    field_names_.push_back(name);
    field_statistics_.push_back(statistics);
  }
}

}  // namespace pmdex
