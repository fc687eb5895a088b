// How an IndexWriter merges segments.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

#include "engine/segment/merge/merge_input.h"
#include "engine/store/index_writer.h"
#include "engine/store/snapshot.h"
#include "pmem/check.h"
#include "pmem/mutex.h"

namespace pmdex {
namespace {

using Segments = std::vector<ManifestSegment>;

// Where the segments with these ids begin. Requires at least one id.
absl::StatusOr<Segments::iterator> FindRun(std::span<const uint64_t> ids, Segments& segments,
                                           const std::string& path) {
  const auto is_first = [&](const ManifestSegment& segment) { return segment.id == ids[0]; };
  const auto first = std::find_if(segments.begin(), segments.end(), is_first);
  const auto left = static_cast<size_t>(segments.end() - first);
  for (size_t i = 0; i < ids.size(); ++i) {
    if (i < left && first[static_cast<std::ptrdiff_t>(i)].id == ids[i]) continue;
    const bool is_listed =
        std::any_of(segments.begin(), segments.end(),
                    [&](const ManifestSegment& segment) { return segment.id == ids[i]; });
    if (is_listed) return InvalidArgument("segments that are not adjacent cannot be merged");
    return MakeStatus(
        absl::StatusCode::kNotFound,
        absl::StrCat("the index in ", path, " has no segment ", SegmentFileName(ids[i])));
  }
  return first;
}

absl::StatusOr<std::vector<MergeSource>> SourcesOf(const Snapshot& snapshot,
                                                   std::span<const uint64_t> ids) {
  for (const QuarantinedSegment& missing : snapshot.quarantined()) {
    if (std::find(ids.begin(), ids.end(), missing.id) != ids.end()) return missing.reason;
  }
  std::vector<MergeSource> sources;
  for (size_t i = 0; i < snapshot.segments().size(); ++i) {
    if (std::find(ids.begin(), ids.end(), snapshot.listed(i).id) == ids.end()) continue;
    sources.push_back({snapshot.segments()[i].get(), snapshot.live_docs(i)});
  }
  PMDEX_CHECK(sources.size() == ids.size());  // nothing waits for Publish
  return sources;
}

// The facts of the new segment that come from the old ones. Its documents are as old as the newest
// of them, so that what is chosen by age is not chosen too early.
void TakeFacts(std::span<const ManifestSegment> merged, ManifestSegment& segment) {
  segment.created_s = 0;
  for (const ManifestSegment& old : merged) {
    segment.created_s = std::max(segment.created_s, old.created_s);
    segment.heat += old.heat;
  }
}

}  // namespace

void IndexWriter::KeepPendingBuild() {
  next_.pending = manifest_.pending;
  const auto parts = manifest_.properties.find(kPartsFromProperty);
  if (parts != manifest_.properties.end()) next_.properties.insert(*parts);
  dropped_.reset();
}

// Writes a segment that belongs neither to a build nor to the end of the index.
absl::StatusOr<ManifestSegment> IndexWriter::WriteMerged(SegmentInput& input,
                                                         std::optional<Tier> asked,
                                                         bool all_compressed) {
  const Tier tier = asked.value_or(all_compressed ? Tier::kCompressed : Tier::kUncompressed);
  auto info = tier == Tier::kCompressed ? WriteCompressed(input) : WriteUncompressed(input);
  if (!asked.has_value() && tier == Tier::kUncompressed && MaySpill(info.status())) {
    info = WriteCompressed(input);
  }
  PMDEX_RETURN_IF_ERROR(info.status());
  MutexLock lock(&mutex_);
  const auto found =
      std::find_if(unpublished_.begin(), unpublished_.end(),
                   [&](const ManifestSegment& segment) { return segment.id == info->segment_id; });
  ManifestSegment written = *found;
  unpublished_.erase(found);
  return written;
}

absl::StatusOr<MergedSegment> IndexWriter::Merge(std::span<const uint64_t> segment_ids,
                                                 const MergeRequest& request) {
  PMDEX_CHECK(!segment_ids.empty());
  PMDEX_CHECK(deletions_.empty());
  PMDEX_ASSIGN_OR_RETURN(const auto first, FindRun(segment_ids, next_.segments, directory_.path()));
  const auto last = first + static_cast<std::ptrdiff_t>(segment_ids.size());
  PMDEX_ASSIGN_OR_RETURN(const auto snapshot, Snapshot::Open(directory_, WithoutAnalysis()));
  PMDEX_ASSIGN_OR_RETURN(const std::vector<MergeSource> sources, SourcesOf(*snapshot, segment_ids));
  MergeInputOptions options;
  options.stop = request.stop;
  if (request.order) {
    PMDEX_ASSIGN_OR_RETURN(options.order, request.order(sources));
  }
  PMDEX_ASSIGN_OR_RETURN(const auto input, MergeInput::Open(sources, std::move(options)));
  MergedSegment merged;
  for (const MergeSource& source : sources) merged.dropped_documents += source.segment->doc_count();
  merged.dropped_documents -= input->doc_count();
  if (input->doc_count() > 0) {
    const auto written = WriteMerged(*input, request.tier, AreAllCompressed({first, last}));
    const absl::Status read = input->status();
    if (!read.ok()) {
      if (written.ok()) RemoveFile(*written);
      return read;
    }
    if (!written.ok()) return written.status();
    merged.segment = *written;
    TakeFacts({first, last}, *merged.segment);
  }
  std::erase_if(next_.copies, [&](const KeptCopy& copy) {
    return std::find(segment_ids.begin(), segment_ids.end(), copy.of) != segment_ids.end();
  });
  const auto at = next_.segments.erase(first, last);
  if (merged.segment.has_value()) {
    next_.segments.insert(at, *merged.segment);
    converted_.push_back(*merged.segment);
  }
  ChoosePlaces();
  return merged;
}

}  // namespace pmdex
