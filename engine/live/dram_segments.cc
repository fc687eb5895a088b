#include "engine/live/dram_segments.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "engine/live/deletion_log.h"
#include "pmem/check.h"

namespace pmdex {
namespace {

// Segments of the same size class differ by a factor below eight.
int SizeClass(const DramSegment& segment) {
  return (std::bit_width(segment.end - segment.begin) - 1) / 3;
}

bool Overlap(const DramSegment& segment, const DocumentRange& range) {
  return segment.begin < range.end && range.begin < segment.end;
}

// Each document that is merged is then in a segment at least twice as large as before, unless it is
// in a smaller one than the largest. So it is merged a logarithmic number of times.
bool IsWorthMerging(std::span<const DramSegment> run) {
  if (run.size() < DramSegments::kMergedAtOnce) return false;
  uint64_t largest = 0;
  for (const DramSegment& segment : run) largest = std::max(largest, segment.end - segment.begin);
  return 2 * largest <= run.back().end - run.front().begin;
}

}  // namespace

void DramSegments::Append(DramSegment segment) {
  PMDEX_CHECK(segment.begin < segment.end &&
              (segments_.empty() || segments_.back().end == segment.begin));
  memory_bytes_ += segment.segment->file_bytes();
  segments_.push_back(std::move(segment));
}

void DramSegments::DropBefore(uint64_t number) {
  const auto first =
      std::find_if(segments_.begin(), segments_.end(),
                   [number](const DramSegment& segment) { return segment.end > number; });
  PMDEX_CHECK(first == segments_.end() || first->begin >= number);
  for (auto segment = segments_.begin(); segment != first; ++segment) {
    memory_bytes_ -= segment->segment->file_bytes();
  }
  segments_.erase(segments_.begin(), first);
}

std::optional<DocumentRange> DramSegments::ChooseMerge(const MergeBounds& bounds) const {
  int greatest = 0;
  for (const DramSegment& segment : segments_) greatest = std::max(greatest, SizeClass(segment));
  for (int size_class = 0; size_class <= greatest; ++size_class) {
    const auto may_merge = [&](const DramSegment& segment) {
      return SizeClass(segment) <= size_class && !Overlap(segment, bounds.left_out);
    };
    size_t begin = 0;
    for (size_t i = 0; i <= segments_.size(); ++i) {
      const bool may_begin = i < segments_.size() && may_merge(segments_[i]);
      const bool goes_on = may_begin && segments_[i].begin != bounds.barrier &&
                           segments_[i].end - segments_[begin].begin <= bounds.most_documents;
      if (goes_on) continue;
      const std::span<const DramSegment> run = std::span(segments_).subspan(begin, i - begin);
      if (IsWorthMerging(run)) return DocumentRange{run.front().begin, run.back().end};
      begin = may_begin ? i : i + 1;
    }
  }
  return std::nullopt;
}

bool DramSegments::Replace(const DramSegment& merged) {
  const auto first =
      std::find_if(segments_.begin(), segments_.end(),
                   [&](const DramSegment& segment) { return segment.begin == merged.begin; });
  const auto last = std::find_if(first, segments_.end(), [&](const DramSegment& segment) {
    return segment.end == merged.end;
  });
  if (last == segments_.end()) return false;
  for (auto segment = first; segment != last + 1; ++segment)
    memory_bytes_ -= segment->segment->file_bytes();
  memory_bytes_ += merged.segment->file_bytes();
  *first = merged;
  segments_.erase(first + 1, last + 1);
  return true;
}

void DramSegments::Delete(std::span<const uint64_t> numbers) {
  if (numbers.empty()) return;
  for (DramSegment& segment : segments_) {
    const uint32_t doc_count = segment.segment->doc_count();
    segment.live_docs = WithoutDocs(std::move(segment.live_docs), doc_count,
                                    DocsOf(numbers, segment.begin, doc_count));
  }
}

}  // namespace pmdex
