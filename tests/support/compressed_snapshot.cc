#include "tests/support/compressed_snapshot.h"

#include <optional>
#include <utility>
#include <vector>

#include "engine/segment/compressed/convert_segment.h"
#include "pmem/check.h"
#include "pmem/directory.h"
#include "tests/support/deletions.h"

namespace pmdex {

namespace {

// cache: none for a segment that is read from the mapping.
std::shared_ptr<const Segment> CompressInto(const Segment& segment, Directory& directory,
                                            const std::shared_ptr<BlockCache>& cache) {
  const auto info = WriteCompressedSegment(segment, directory, segment.segment_id());
  PMDEX_CHECK(info.ok());
  auto file = directory.Open(info->file_name);
  PMDEX_CHECK(file.ok());
  UncachedUnits units;
  if (cache != nullptr) {
    auto uncached = directory.OpenUncached(info->file_name);
    PMDEX_CHECK(uncached.ok() && *uncached != nullptr);
    units = {cache, *std::move(uncached)};
  }
  auto compressed =
      Segment::Open(*std::move(file), info->file_name, std::nullopt, std::move(units));
  PMDEX_CHECK(compressed.ok());
  return *compressed;
}

}  // namespace

std::shared_ptr<const Segment> CompressSegment(const Segment& segment) {
  return CompressInto(segment, *NewDramDirectory("compressed"), nullptr);
}

std::shared_ptr<const Snapshot> UncachedSnapshot(const Snapshot& snapshot, Directory& directory,
                                                 const std::shared_ptr<BlockCache>& cache) {
  std::vector<std::shared_ptr<const Segment>> segments;
  for (const auto& segment : snapshot.segments()) {
    segments.push_back(CompressInto(*segment, directory, cache));
  }
  return Snapshot::Of(snapshot.settings(), std::move(segments));
}

std::shared_ptr<const Snapshot> CompressSnapshot(const Snapshot& snapshot,
                                                 CompressedSegments which) {
  std::vector<std::shared_ptr<const Segment>> segments;
  for (const auto& segment : snapshot.segments()) {
    const bool keep = which == CompressedSegments::kEverySecond && segments.size() % 2 == 1;
    segments.push_back(keep ? segment : CompressSegment(*segment));
  }
  return Snapshot::Of(snapshot.settings(), std::move(segments), LiveDocsOf(snapshot));
}

}  // namespace pmdex
