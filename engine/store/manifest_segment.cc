#include "engine/store/manifest_segment.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"

namespace pmdex {
namespace {

bool HasWrongDeletions(const ManifestSegment& segment) {
  const bool has_file = segment.live_docs_generation > 0;
  return has_file != (segment.deleted_count > 0) || segment.deleted_count > segment.doc_count ||
         segment.live_docs_generation > kMaxLiveDocsGeneration;
}

std::string DescribeDeletions(const ManifestSegment& segment) {
  return absl::StrCat("segment ", segment.id, " has ", segment.deleted_count, " deletions of ",
                      segment.doc_count, " documents in generation ", segment.live_docs_generation);
}

}  // namespace

bool AreAllCompressed(std::span<const ManifestSegment> segments) {
  return std::all_of(segments.begin(), segments.end(), [](const ManifestSegment& segment) {
    return segment.tier == Tier::kCompressed;
  });
}

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
  std::map<uint64_t, uint32_t> deleted;
  for (const ManifestSegment& segment : visible) {
    if (HasWrongDeletions(segment)) return DescribeDeletions(segment);
    deleted[segment.id] = segment.deleted_count;
  }
  for (const KeptCopy& copy : copies) {
    const auto segment = deleted.find(copy.of);
    const bool differs = segment != deleted.end() && segment->second != copy.file.deleted_count;
    if (differs || HasWrongDeletions(copy.file)) {
      return "a kept copy: " + DescribeDeletions(copy.file);
    }
  }
  if (std::any_of(pending.begin(), pending.end(), [](const ManifestSegment& segment) {
        return segment.live_docs_generation > 0 || segment.deleted_count > 0;
      })) {
    return "a pending segment has deletions";
  }
  return std::nullopt;
}

}  // namespace pmdex
