#include "engine/store/merging/merge_index.h"

#include <utility>

#include "engine/store/snapshot.h"

namespace pmdex {
namespace {

using Ids = std::vector<uint64_t>;

absl::StatusOr<std::vector<MergeCandidate>> CandidatesOf(const Directory& directory) {
  PMDEX_ASSIGN_OR_RETURN(const auto snapshot, Snapshot::Open(directory, WithoutAnalysis()));
  if (!snapshot->quarantined().empty()) return snapshot->quarantined().front().reason;
  std::vector<MergeCandidate> candidates;
  for (size_t i = 0; i < snapshot->segments().size(); ++i) {
    const ManifestSegment& listed = snapshot->listed(i);
    const LiveDocs* const live_docs = snapshot->live_docs(i);
    candidates.push_back({listed.file_bytes, listed.doc_count,
                          live_docs == nullptr ? 0 : live_docs->deleted_count(), listed.tier});
  }
  return candidates;
}

Ids IdsOf(const MergeRun& run, const Manifest& manifest) {
  Ids ids;
  for (size_t i = 0; i < run.count; ++i) ids.push_back(manifest.segments[run.first + i].id);
  return ids;
}

class IndexMerger {
 public:
  IndexMerger(Directory& directory, IndexWriter& writer, const MergeIndexOptions& options)
      : directory_(directory), writer_(writer), options_(options) {}

  absl::Status MergeToCount() {
    PMDEX_ASSIGN_OR_RETURN(const auto candidates, CandidatesOf(directory_));
    const RewriteOptions rewrite{options_.request.tier, options_.request.order != nullptr};
    std::vector<Ids> merges;
    for (const MergeRun& run : ChooseMergesTo(candidates, *options_.max_segments, rewrite)) {
      merges.push_back(IdsOf(run, writer_.published()));
    }
    for (const Ids& ids : merges) {
      if (IsStopped()) return absl::OkStatus();
      PMDEX_RETURN_IF_ERROR(MergeOne(ids));
    }
    return absl::OkStatus();
  }

  absl::Status MergeByPolicy() {
    for (;;) {
      if (IsStopped()) return absl::OkStatus();
      PMDEX_ASSIGN_OR_RETURN(const auto candidates, CandidatesOf(directory_));
      const auto run = ChooseMerge(candidates, options_.policy);
      if (!run.has_value()) return absl::OkStatus();
      PMDEX_RETURN_IF_ERROR(MergeOne(IdsOf(*run, writer_.published())));
    }
  }

  const MergeReport& report() const { return report_; }

 private:
  bool IsStopped() {
    if (options_.request.stop && options_.request.stop()) report_.is_stopped = true;
    return report_.is_stopped;
  }

  absl::Status MergeOne(const Ids& ids) {
    const auto merged = writer_.Merge(ids, options_.request);
    if (absl::IsCancelled(merged.status())) {
      report_.is_stopped = true;
      return absl::OkStatus();
    }
    PMDEX_RETURN_IF_ERROR(merged.status());
    PMDEX_RETURN_IF_ERROR(writer_.Publish());
    ++report_.merges;
    report_.dropped_documents += merged->dropped_documents;
    return absl::OkStatus();
  }

  Directory& directory_;
  IndexWriter& writer_;
  const MergeIndexOptions& options_;
  MergeReport report_;
};

}  // namespace

absl::StatusOr<MergeReport> MergeIndex(Directory& directory, IndexWriter& writer,
                                       const MergeIndexOptions& options) {
  IndexMerger merger(directory, writer, options);
  PMDEX_RETURN_IF_ERROR(options.max_segments.has_value() ? merger.MergeToCount()
                                                         : merger.MergeByPolicy());
  return merger.report();
}

}  // namespace pmdex
