#include "tests/support/compressed_snapshot.h"

#include <optional>
#include <utility>
#include <vector>

#include "engine/segment/compressed/convert_segment.h"
#include "pmem/check.h"
#include "pmem/directory.h"
#include "tests/support/deletions.h"

namespace pmdex {

std::shared_ptr<const Segment> CompressSegment(const Segment& segment) {
  const std::unique_ptr<Directory> directory = NewDramDirectory("compressed");
  const auto info = WriteCompressedSegment(segment, *directory, segment.segment_id());
  PMDEX_CHECK(info.ok());
  auto file = directory->Open(info->file_name);
  PMDEX_CHECK(file.ok());
  auto compressed = Segment::Open(*std::move(file), info->file_name, std::nullopt);
  PMDEX_CHECK(compressed.ok());
  return *compressed;
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
