#include "engine/segment/compressed/convert_segment.h"

#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"

#include "engine/segment/compressed/compressor.h"
#include "engine/segment/compressed/decompressor.h"
#include "engine/segment/file/segment_file_writer.h"

namespace pmdex {
namespace {

using Conversion = absl::Status (*)(SegmentFileWriter&, const Segment&, uint64_t);

// The size of a file in which the sections that its tier alone has take own_bytes, or more.
uint64_t CapacityOf(const Segment& source, uint64_t own_bytes) {
  uint64_t bytes = kHeaderPageBytes + own_bytes;
  for (const SectionEntry& entry : source.view().sections()) {
    switch (entry.kind) {
      case SectionKind::kPostings:
      case SectionKind::kPositions:
      case SectionKind::kCompressedUnits:
      case SectionKind::kUnitPlaces:
      case SectionKind::kPositionUnits:
      case SectionKind::kPositionUnitStarts:
      case SectionKind::kDocEntries:
      case SectionKind::kDocIdBytes:
      case SectionKind::kIdBlocks:
      case SectionKind::kIdBlockStarts:
      case SectionKind::kPageChecksums:
        break;
      default:
        bytes += AlignUp(entry.size_bytes, kSectionAlignment);
    }
  }
  return bytes + PageChecksumsBytes(PagesOf(bytes) + kMaxSections) + 6 * kSectionAlignment;
}

// Creates the file, has `convert` fill it, and seals it. Returns nullopt, and leaves no file, if
// the capacity was too small.
absl::StatusOr<std::optional<SegmentFileInfo>> TryWrite(const Segment& source, Directory& directory,
                                                        uint64_t segment_id,
                                                        uint64_t capacity_bytes,
                                                        Conversion convert) {
  SegmentFileInfo info;
  info.file_name = SegmentFileName(segment_id);
  info.segment_id = segment_id;
  info.doc_count = source.doc_count();
  info.term_count = source.term_count();
  info.posting_count = source.posting_count();
  info.token_count = source.token_count();
  const std::string temporary_name = info.file_name + ".tmp";
  PMDEX_ASSIGN_OR_RETURN(std::unique_ptr<WritableFile> file,
                         directory.Create(temporary_name, capacity_bytes));
  SegmentFileWriter writer(*file);
  absl::Status status = source.Checked(convert(writer, source, segment_id));
  // What was read from a medium that failed meanwhile is not what was written there.
  if (status.ok()) status = source.Health();
  info.file_bytes = writer.file_bytes();
  info.header_crc = writer.header_crc();
  if (status.ok()) status = file->Seal(info.file_bytes);
  info.persist = file->counters();
  file.reset();
  if (status.ok()) status = directory.Rename(temporary_name, info.file_name);
  if (status.ok()) return info;
  directory.Remove(temporary_name).IgnoreError();  // the first error says more
  if (writer.overran()) return std::nullopt;
  return status;
}

}  // namespace

absl::StatusOr<SegmentFileInfo> WriteCompressedSegment(const Segment& source, Directory& directory,
                                                       uint64_t segment_id) {
  if (source.is_compressed()) return InvalidArgument("the segment is compressed already");
  // Mostly the lists shrink to less than five eighths. Hardly any list grows by a quarter.
  for (const uint64_t eighths : {5, 10, 20}) {
    PMDEX_ASSIGN_OR_RETURN(
        std::optional<SegmentFileInfo> info,
        TryWrite(source, directory, segment_id,
                 CapacityOf(source, MostCompressedBytes(source, eighths)), CompressInto));
    if (info.has_value()) return *std::move(info);
  }
  return InvalidArgument(absl::StrCat(source.file_name(), ": the lists do not shrink"));
}

absl::StatusOr<SegmentFileInfo> WriteUncompressedSegment(const Segment& source,
                                                         Directory& directory,
                                                         uint64_t segment_id) {
  if (!source.is_compressed()) return InvalidArgument("the segment is not compressed");
  PMDEX_ASSIGN_OR_RETURN(const uint64_t own_bytes, source.Checked(MostUncompressedBytes(source)));
  PMDEX_ASSIGN_OR_RETURN(
      std::optional<SegmentFileInfo> info,
      TryWrite(source, directory, segment_id, CapacityOf(source, own_bytes), DecompressInto));
  if (info.has_value()) return *std::move(info);
  return DataLoss(absl::StrCat(source.file_name(), ": the lists take more than their entries say"));
}

}  // namespace pmdex
