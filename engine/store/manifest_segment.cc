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

}  // namespace pmdex
