#include "engine/live/medium_segments.h"

#include <algorithm>
#include <utility>

#include "engine/live/deletion_log.h"
#include "pmem/check.h"

namespace pmdex {

void MediumSegments::Append(MediumSegment segment) {
  PMDEX_CHECK(segment.begin >= end());
  segments_.push_back(std::move(segment));
  ++version_;
}

size_t MediumSegments::Find(uint64_t number) const {
  const auto after = std::upper_bound(
      segments_.begin(), segments_.end(), number,
      [](uint64_t wanted, const MediumSegment& segment) { return wanted < segment.begin; });
  if (after == segments_.begin() || number >= (after - 1)->end()) return segments_.size();
  return static_cast<size_t>(after - segments_.begin()) - 1;
}

void MediumSegments::Delete(std::span<const uint64_t> numbers) {
  if (numbers.empty()) return;
  for (MediumSegment& segment : segments_) {
    const uint32_t doc_count = segment.segment->doc_count();
    segment.live_docs = WithoutDocs(std::move(segment.live_docs), doc_count,
                                    DocsOf(numbers, segment.begin, doc_count));
  }
}

bool MediumSegments::KeepOnly(const std::function<bool(uint64_t)>& is_kept) {
  const size_t dropped = std::erase_if(
      segments_, [&](const MediumSegment& segment) { return !is_kept(segment.listed_id); });
  if (dropped > 0) ++version_;
  return dropped > 0;
}

}  // namespace pmdex
