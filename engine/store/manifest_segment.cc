#include "engine/store/manifest_segment.h"

#include <algorithm>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"

namespace pmdex {

std::optional<std::string> FaultOfSegmentIds(std::span<const ManifestSegment> visible,
                                             std::span<const ManifestSegment> pending,
                                             std::span<const KeptCopy> copies,
                                             uint64_t next_segment_id) {
  std::vector<uint64_t> ids;
  std::set<uint64_t> without_copy;
  for (const ManifestSegment& segment : visible) without_copy.insert(segment.id);
  for (const KeptCopy& copy : copies) {
    if (without_copy.erase(copy.of) == 0) {
      return absl::StrCat("a copy of segment ", copy.of, ", which is not listed or has another");
    }
    ids.push_back(copy.file.id);
  }
  ids.reserve(visible.size() + pending.size());
  for (const ManifestSegment& segment : visible) ids.push_back(segment.id);
  for (const ManifestSegment& segment : pending) ids.push_back(segment.id);
  std::sort(ids.begin(), ids.end());
  const auto twice = std::adjacent_find(ids.begin(), ids.end());
  if (twice != ids.end()) return absl::StrCat("segment ", *twice, " is listed twice");
  if (!ids.empty() && next_segment_id <= ids.back()) {
    return absl::StrCat("the next segment id is ", next_segment_id, ", and segment ", ids.back(),
                        " is in use");
  }
  if (next_segment_id > kSegmentIdLimit) {
    return absl::StrCat("the next segment id is ", next_segment_id, ", more than ",
                        kSegmentIdLimit);
  }
  return std::nullopt;
}

std::optional<std::string> FaultOfDeletions(std::span<const ManifestSegment> visible,
                                            std::span<const ManifestSegment> pending,
                                            std::span<const KeptCopy> copies) {
  for (const ManifestSegment& segment : visible) {
    const bool has_file = segment.live_docs_generation > 0;
    if (has_file != (segment.deleted_count > 0) || segment.deleted_count > segment.doc_count ||
        segment.live_docs_generation > kMaxLiveDocsGeneration) {
      return absl::StrCat("segment ", segment.id, " has ", segment.deleted_count, " deletions of ",
                          segment.doc_count, " documents in generation ",
                          segment.live_docs_generation);
    }
  }
  const auto has_deletions = [](const ManifestSegment& segment) {
    return segment.live_docs_generation > 0 || segment.deleted_count > 0;
  };
  if (std::any_of(pending.begin(), pending.end(), has_deletions)) {
    return "a pending segment has deletions";
  }
  if (std::any_of(copies.begin(), copies.end(),
                  [&](const KeptCopy& copy) { return has_deletions(copy.file); })) {
    return "a kept copy has deletions of its own";
  }
  return std::nullopt;
}

}  // namespace pmdex
