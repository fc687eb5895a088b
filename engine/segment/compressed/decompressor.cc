#include "engine/segment/compressed/decompressor.h"

#include <algorithm>
#include <span>

#include "engine/segment/compressed/position_runs.h"
#include "engine/segment/compressed/position_units.h"
#include "engine/segment/compressed/segment_copier.h"
#include "engine/segment/documents/doc_entries.h"

namespace pmdex {
namespace {

uint64_t EntriesBytes(const Segment& source) {
  return uint64_t{source.doc_count()} * source.doc_entry_bytes();
}

// Where the extent of each list goes in an uncompressed segment.
class ExtentPlan {
 public:
  explicit ExtentPlan(const Segment& source) : source_(source) {}

  // Returns the place of the next list.
  uint64_t Add(const DictionaryEntry& entry) {
    const uint64_t offset = AlignUp(end_, ExtentAlignment(entry.df));
    end_ = offset + LayOut(entry).size_bytes;
    return offset;
  }
  PostingExtent LayOut(const DictionaryEntry& entry) const {
    const bool unit_freqs = HasUnitFreqs(entry.df, entry.cf, entry.lanes.overflow_start);
    return LayOutPostings(entry.df, unit_freqs, source_.doc_count(), source_.has_positions());
  }
  uint64_t section_bytes() const { return end_ + kLaneTailBytes; }

 private:
  const Segment& source_;
  uint64_t end_ = 0;
};

class Decompressor {
 public:
  Decompressor(const Segment& source, SegmentFileWriter& file)
      : source_(source), file_(file), copier_(source, file) {}

  absl::Status Write(uint64_t segment_id) {
    PMDEX_RETURN_IF_ERROR(copier_.CopySection(SectionKind::kMeta));
    PMDEX_RETURN_IF_ERROR(WriteLanes());
    if (source_.has_positions()) PMDEX_RETURN_IF_ERROR(WritePositions());
    PMDEX_RETURN_IF_ERROR(copier_.Copy(SegmentCopier::kOfBlocks));
    PMDEX_RETURN_IF_ERROR(copier_.CopyDictionary());
    PMDEX_RETURN_IF_ERROR(copier_.CopySection(SectionKind::kNorms));
    PMDEX_RETURN_IF_ERROR(WriteIds());
    PMDEX_RETURN_IF_ERROR(copier_.Copy(SegmentCopier::kBehindIds));
    return file_.Close(copier_.Header(segment_id));
  }

 private:
  absl::Status WriteLanes() {
    PMDEX_ASSIGN_OR_RETURN(SectionStream stream,
                           file_.Start(SectionKind::kPostings, file_.left_bytes()));
    ExtentPlan plan(source_);
    PMDEX_RETURN_IF_ERROR(
        ForEachList(source_, [&](const DictionaryEntry& entry, uint32_t bucket) -> absl::Status {
          if (IsInline(entry.representation)) return absl::OkStatus();
          PMDEX_ASSIGN_OR_RETURN(const PostingListView list, source_.Postings(entry));
          const uint64_t offset = plan.Add(entry);
          copier_.SetExtent(bucket, offset);
          AppendLanes(list, offset, plan.LayOut(entry), stream);
          return file_.CheckLimit(stream);
        }));
    stream.PadTo(plan.section_bytes());
    return file_.Finish(stream);
  }

  static void AppendLanes(const PostingListView& list, uint64_t start, const PostingExtent& extent,
                          SectionStream& stream) {
    stream.PadTo(start);
    if (list.bits != nullptr) {
      stream.AppendArray(std::span(list.bits, BitsetWords(list.doc_count)));
      stream.AppendArray(std::span(list.ranks, BitsetRuns(list.doc_count) + 1));
    } else {
      stream.AppendArray(std::span(list.docids, list.df));
    }
    stream.PadTo(start + extent.freqs_offset);
    if (extent.freqs_offset != extent.codes_offset) {
      stream.AppendArray(std::span(list.freqs, list.df));
    }
    stream.PadTo(start + extent.codes_offset);
    stream.AppendArray(std::span(list.codes, list.df));
    stream.PadTo(start + extent.groups_offset);
    if (list.groups != nullptr) {
      stream.AppendArray(std::span(list.groups, (list.df - 1) / kPositionGroup));
    }
    stream.PadTo(start + extent.size_bytes);
  }

  absl::Status WritePositions() {
    PMDEX_ASSIGN_OR_RETURN(SectionStream stream,
                           file_.Start(SectionKind::kPositions, file_.left_bytes()));
    PMDEX_RETURN_IF_ERROR(ForEachBlockOfRuns(
        source_, [&stream](const PositionRuns& runs) { stream.AppendArray(runs.entries); }));
    return file_.Finish(stream);
  }

  absl::Status WriteIds() {
    const uint64_t entries_bytes = EntriesBytes(source_);
    const uint64_t left_bytes = file_.left_bytes();
    PMDEX_ASSIGN_OR_RETURN(
        auto streams,
        file_.StartTwo(
            {SectionKind::kDocEntries, entries_bytes},
            {SectionKind::kDocIdBytes,
             left_bytes - std::min(AlignUp(entries_bytes, kSectionAlignment), left_bytes)}));
    auto& [entries, beside] = streams;
    const DocEntryWriter writer(source_.doc_entry_bytes(), entries, beside);
    PMDEX_RETURN_IF_ERROR(
        ForEachId(source_, [&writer](std::string_view id) { writer.Append(id); }));
    PMDEX_RETURN_IF_ERROR(file_.Finish(entries));
    return file_.Finish(beside);
  }

  const Segment& source_;
  SegmentFileWriter& file_;
  SegmentCopier copier_;
};

}  // namespace

absl::StatusOr<uint64_t> MostUncompressedBytes(const Segment& source) {
  ExtentPlan plan(source);
  PMDEX_RETURN_IF_ERROR(ForEachList(source, [&plan](const DictionaryEntry& entry, uint32_t) {
    if (!IsInline(entry.representation)) plan.Add(entry);
    return absl::OkStatus();
  }));
  const uint64_t positions_bytes = PositionUnits::MostEntries(source.view()) * sizeof(uint16_t);
  uint64_t beside_bytes = 0;
  PMDEX_RETURN_IF_ERROR(ForEachId(source, [&](std::string_view id) {
    if (id.size() > DocEntryIdRoom(source.doc_entry_bytes())) beside_bytes += id.size();
  }));
  return plan.section_bytes() + positions_bytes + EntriesBytes(source) + beside_bytes +
         4 * kSectionAlignment;
}

absl::Status DecompressInto(SegmentFileWriter& file, const Segment& source, uint64_t segment_id) {
  return Decompressor(source, file).Write(segment_id);
}

}  // namespace pmdex
