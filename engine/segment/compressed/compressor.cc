#include "engine/segment/compressed/compressor.h"

#include <span>

#include "engine/segment/compressed/position_runs.h"
#include "engine/segment/compressed/position_unit_writer.h"
#include "engine/segment/compressed/segment_copier.h"
#include "engine/segment/compressed/unit_writer.h"
#include "engine/segment/documents/id_blocks.h"

namespace pmdex {
namespace {

class Compressor {
 public:
  Compressor(const Segment& source, SegmentFileWriter& file)
      : source_(source), file_(file), copier_(source, file) {}

  absl::Status Write(uint64_t segment_id) {
    PMDEX_RETURN_IF_ERROR(copier_.CopySection(SectionKind::kMeta));
    PMDEX_RETURN_IF_ERROR(WriteUnits());
    if (source_.has_positions()) PMDEX_RETURN_IF_ERROR(WritePositions());
    PMDEX_RETURN_IF_ERROR(copier_.Copy(SegmentCopier::kOfBlocks));
    PMDEX_RETURN_IF_ERROR(copier_.CopyDictionary());
    PMDEX_RETURN_IF_ERROR(copier_.CopySection(SectionKind::kNorms));
    PMDEX_RETURN_IF_ERROR(WriteIds());
    PMDEX_RETURN_IF_ERROR(copier_.Copy(SegmentCopier::kBehindIds));
    return file_.Close(copier_.Header(segment_id));
  }

 private:
  absl::Status WriteUnits() {
    const auto blocks = source_.view().RawArray<uint32_t>(SectionKind::kBlockLastDocs);
    PMDEX_ASSIGN_OR_RETURN(SectionStream stream,
                           file_.Start(SectionKind::kCompressedUnits, file_.left_bytes()));
    UnitWriter writer(stream, blocks.size());
    PMDEX_RETURN_IF_ERROR(
        ForEachList(source_, [&](const DictionaryEntry& entry, uint32_t bucket) -> absl::Status {
          if (IsInline(entry.representation)) return absl::OkStatus();
          PMDEX_ASSIGN_OR_RETURN(const PostingListView list, source_.Postings(entry));
          PMDEX_ASSIGN_OR_RETURN(const uint64_t offset, writer.Write(list));
          copier_.SetExtent(bucket, offset);
          return file_.CheckLimit(stream);
        }));
    writer.Finish();
    PMDEX_RETURN_IF_ERROR(file_.Finish(stream));
    return file_.WriteArray(SectionKind::kUnitPlaces, writer.places());
  }

  absl::Status WritePositions() {
    PMDEX_ASSIGN_OR_RETURN(SectionStream stream,
                           file_.Start(SectionKind::kPositionUnits, file_.left_bytes()));
    const auto entries = source_.view().RawArray<uint16_t>(SectionKind::kPositions);
    PositionUnitWriter writer(stream, entries.size());
    PMDEX_RETURN_IF_ERROR(ForEachBlockOfRuns(source_, [&writer](const PositionRuns& runs) {
      writer.Append(runs.entries, runs.counts);
    }));
    writer.Finish();
    PMDEX_RETURN_IF_ERROR(file_.Finish(stream));
    return file_.WriteArray(SectionKind::kPositionUnitStarts, writer.starts());
  }

  absl::Status WriteIds() {
    PMDEX_ASSIGN_OR_RETURN(SectionStream stream,
                           file_.Start(SectionKind::kIdBlocks, file_.left_bytes()));
    IdBlockWriter writer(stream, source_.doc_count());
    PMDEX_RETURN_IF_ERROR(
        ForEachId(source_, [&writer](std::string_view id) { writer.Append(id); }));
    const std::span<const std::byte> starts = writer.Finish();
    PMDEX_RETURN_IF_ERROR(file_.Finish(stream));
    return file_.WriteArray(SectionKind::kIdBlockStarts, starts);
  }

  const Segment& source_;
  SegmentFileWriter& file_;
  SegmentCopier copier_;
};

}  // namespace

uint64_t MostCompressedBytes(const Segment& source, uint64_t eighths) {
  const SegmentView& view = source.view();
  const uint64_t lists_bytes = view.RawSection(SectionKind::kPostings).size() +
                               view.RawSection(SectionKind::kPositions).size();
  const uint64_t ids_bytes = view.RawSection(SectionKind::kDocEntries).size() +
                             view.RawSection(SectionKind::kDocIdBytes).size();
  constexpr uint64_t kMore = 1 << 16;
  return lists_bytes / 8 * eighths + IdBlockWriter::MostBytes(source.doc_count(), ids_bytes) +
         (IdBlocksOf(source.doc_count()) + 1) * kTableOffsetBytes + kMore;
}

absl::Status CompressInto(SegmentFileWriter& file, const Segment& source, uint64_t segment_id) {
  return Compressor(source, file).Write(segment_id);
}

}  // namespace pmdex
