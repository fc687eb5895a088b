#include "engine/store/placement/segment_converter.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

#include "engine/segment/compressed/convert_segment.h"
#include "engine/segment/segment_copy.h"
#include "engine/segment/segment_writer.h"

namespace pmdex {
namespace {

absl::StatusOr<SegmentFileInfo> WriteIn(const Segment& source, Tier from, Tier to,
                                        Directory& directory, uint64_t segment_id) {
  if (from == to) return CopySegment(source, directory, segment_id);
  return to == Tier::kCompressed ? WriteCompressedSegment(source, directory, segment_id)
                                 : WriteUncompressedSegment(source, directory, segment_id);
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Segment>> OpenListedSegment(const Directory& directory,
                                                                 const ManifestSegment& listed,
                                                                 UncachedUnits units) {
  const std::string name = SegmentFileName(listed.id);
  PMDEX_ASSIGN_OR_RETURN(auto file, directory.Open(name));
  PMDEX_ASSIGN_OR_RETURN(
      auto segment,
      Segment::Open(std::move(file), name,
                    SegmentExpectation{listed.file_bytes, listed.header_crc, listed.id},
                    std::move(units)));
  if (segment->doc_count() != listed.doc_count) {
    return DataLoss(absl::StrCat(name, ": expected ", listed.doc_count, " documents, found ",
                                 segment->doc_count()));
  }
  if (segment->is_compressed() != (listed.tier == Tier::kCompressed)) {
    return DataLoss(absl::StrCat(name, ": the segment is not of the tier that the manifest names"));
  }
  return segment;
}

absl::StatusOr<ManifestSegment> ConvertSegment(const Segment& source, const ManifestSegment& listed,
                                               Tier tier, Directory& directory,
                                               uint64_t segment_id) {
  PMDEX_ASSIGN_OR_RETURN(const SegmentFileInfo info,
                         WriteIn(source, listed.tier, tier, directory, segment_id));
  ManifestSegment converted = listed;
  converted.id = segment_id;
  converted.file_bytes = info.file_bytes;
  converted.header_crc = info.header_crc;
  converted.tier = tier;
  return converted;
}

}  // namespace pmdex
