#include "engine/segment/segment_writer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

#include "engine/columns/columns_writer.h"
#include "engine/segment/dictionary/term_dictionary_writer.h"
#include "engine/segment/dictionary/term_key.h"
#include "engine/segment/documents/doc_entries.h"
#include "engine/segment/file/section_stream.h"
#include "engine/segment/file/segment_file_writer.h"
#include "engine/segment/postings/posting_writer.h"
#include "engine/segment/segment_plan.h"
#include "pmem/text.h"

namespace pmdex {
namespace {

// Writes the sections of one segment, in the order in which they lie.
class SegmentWriter {
 public:
  SegmentWriter(SegmentFileWriter& file, uint64_t segment_id, SegmentInput& input,
                const SegmentPlan& plan, const ColumnsWriter& columns,
                TermDictionaryWriter& dictionary)
      : file_(file),
        segment_id_(segment_id),
        input_(input),
        plan_(plan),
        columns_(columns),
        dictionary_(dictionary) {}

  absl::Status Write();

 private:
  absl::Status WriteMeta();
  absl::Status WritePostings();
  absl::Status WriteBlocks(const PostingWriter& postings);
  absl::Status WriteDictionary();
  absl::Status WriteDocuments();
  absl::Status WriteStoredText();
  absl::Status WriteColumns();
  FileHeader Header() const;

  SegmentFileWriter& file_;
  const uint64_t segment_id_;
  SegmentInput& input_;
  const SegmentPlan& plan_;
  const ColumnsWriter& columns_;
  TermDictionaryWriter& dictionary_;
};

absl::Status SegmentWriter::Write() {
  PMDEX_RETURN_IF_ERROR(WriteMeta());
  PMDEX_RETURN_IF_ERROR(WritePostings());
  PMDEX_RETURN_IF_ERROR(WriteDictionary());
  PMDEX_RETURN_IF_ERROR(WriteDocuments());
  if (input_.has_stored_text()) PMDEX_RETURN_IF_ERROR(WriteStoredText());
  if (columns_.size_bytes() != 0) PMDEX_RETURN_IF_ERROR(WriteColumns());
  return file_.Close(Header());
}

absl::Status SegmentWriter::WriteMeta() {
  const std::span<const SegmentField> fields = input_.fields();
  PMDEX_ASSIGN_OR_RETURN(SectionStream stream, file_.Start(SectionKind::kMeta, plan_.meta_bytes));
  SegmentMeta meta{};
  meta.analyzer = static_cast<uint8_t>(input_.analyzer());
  meta.doc_entry_bytes = static_cast<uint8_t>(plan_.doc_entry_bytes);
  meta.home_bucket_count = dictionary_.home_bucket_count();
  meta.rare_bucket_count = dictionary_.rare_bucket_count();
  meta.hash_seed = kHashSeed;
  meta.term_count = dictionary_.term_count();
  meta.posting_count = plan_.posting_count;
  meta.token_count = plan_.token_count;
  stream.AppendValue(meta);
  uint64_t name_offset = sizeof(SegmentMeta) + fields.size() * sizeof(FieldEntry);
  for (size_t i = 0; i < fields.size(); ++i) {
    const TermDictionaryWriter::FieldTerms& terms = dictionary_.fields()[i];
    FieldEntry entry{};
    entry.name_offset = static_cast<uint32_t>(name_offset);
    entry.name_bytes = static_cast<uint32_t>(fields[i].name.size());
    entry.doc_count = fields[i].doc_count;
    entry.token_count = fields[i].token_count;
    entry.posting_count = terms.posting_count;
    entry.term_count = terms.term_count;
    entry.first_term_block = terms.first_block;
    entry.term_block_count = terms.block_count;
    entry.term_blocks_begin = terms.blocks_begin;
    entry.term_blocks_bytes = terms.blocks_bytes;
    stream.AppendValue(entry);
    name_offset += fields[i].name.size();
  }
  if (name_offset > 0xffffffff) return InvalidArgument("the fields' names are too long");
  for (const SegmentField& field : fields) stream.AppendArray(std::span<const char>(field.name));
  return file_.Finish(stream);
}

absl::Status SegmentWriter::WritePostings() {
  const bool has_positions = input_.has_positions();
  PMDEX_ASSIGN_OR_RETURN(
      auto streams,
      file_.StartTwo({SectionKind::kPostings, plan_.postings_bytes},
                     {SectionKind::kPositions, has_positions ? plan_.positions_bytes : 0}));
  auto& [lanes, positions] = streams;
  PostingWriter writer(lanes, has_positions ? &positions : nullptr, input_.doc_count(),
                       plan_.block_count, plan_.longest_list);
  if (plan_.counted) writer.ReserveOverflow(plan_.overflow_bytes / sizeof(OverflowEntry));
  const std::unique_ptr<TermStream> terms = input_.OpenSomeTerms(dictionary_.open_terms());
  const std::span<const SegmentField> fields = input_.fields();
  FieldId field = 0;
  for (size_t i = 0; i < dictionary_.open_terms().size(); ++i) {
    if (!terms->Next()) {
      return MakeStatus(absl::StatusCode::kInternal,
                        "term stream: fewer terms than were asked for");
    }
    if (terms->field() >= fields.size()) {
      return BrokenStream(*terms, "not a term of the segment's fields");
    }
    if (i == 0 || terms->field() != field) {
      field = terms->field();
      const SegmentField& of_field = fields[field];
      writer.StartField(static_cast<double>(of_field.token_count) /
                        static_cast<double>(std::max<uint64_t>(1, of_field.doc_count)));
    }
    DictionaryEntry entry{};
    PMDEX_RETURN_IF_ERROR(writer.WriteList(*terms, input_.norms(field), entry));
    PMDEX_RETURN_IF_ERROR(dictionary_.SetEntry(*terms, entry));
    PMDEX_RETURN_IF_ERROR(file_.CheckLimit(lanes));
    PMDEX_RETURN_IF_ERROR(file_.CheckLimit(positions));
  }
  if (terms->Next()) return BrokenStream(*terms, "more terms than were asked for");
  lanes.PadTo(lanes.size_bytes() + kLaneTailBytes);
  PMDEX_RETURN_IF_ERROR(file_.Finish(lanes));
  if (has_positions) PMDEX_RETURN_IF_ERROR(file_.Finish(positions));
  return WriteBlocks(writer);
}

absl::Status SegmentWriter::WriteBlocks(const PostingWriter& postings) {
  PMDEX_RETURN_IF_ERROR(file_.WriteArray(SectionKind::kBlockLastDocs, postings.block_last_docs()));
  PMDEX_RETURN_IF_ERROR(file_.WriteArray(SectionKind::kBlockBounds, postings.block_bounds()));
  PMDEX_RETURN_IF_ERROR(file_.WriteArray(SectionKind::kFreqOverflow, postings.overflow()));
  const uint64_t ones_bytes = UnitFreqsBytes(postings.longest_unit_list());
  PMDEX_ASSIGN_OR_RETURN(SectionStream ones, file_.Start(SectionKind::kUnitFreqs, ones_bytes));
  std::array<uint8_t, kLaneTailBytes> some;
  some.fill(1);
  while (ones.size_bytes() < ones_bytes) ones.AppendArray(std::span<const uint8_t>(some));
  return file_.Finish(ones);
}

absl::Status SegmentWriter::WriteDictionary() {
  PMDEX_ASSIGN_OR_RETURN(SectionStream entries,
                         file_.Start(SectionKind::kDictionaryEntries, dictionary_.entries_bytes()));
  PMDEX_RETURN_IF_ERROR(dictionary_.WriteEntries(entries));
  PMDEX_RETURN_IF_ERROR(file_.Finish(entries));
  PMDEX_ASSIGN_OR_RETURN(SectionStream term_bytes,
                         file_.Start(SectionKind::kTermBytes, dictionary_.term_bytes_size()));
  dictionary_.WriteTermBytes(term_bytes);
  PMDEX_RETURN_IF_ERROR(file_.Finish(term_bytes));
  PMDEX_ASSIGN_OR_RETURN(SectionStream blocks,
                         file_.Start(SectionKind::kTermBlocks, dictionary_.term_blocks_bytes()));
  PMDEX_RETURN_IF_ERROR(dictionary_.WriteBlocks(blocks));
  PMDEX_RETURN_IF_ERROR(file_.Finish(blocks));
  PMDEX_ASSIGN_OR_RETURN(SectionStream starts, file_.Start(SectionKind::kTermBlockStarts,
                                                           dictionary_.block_starts_bytes()));
  dictionary_.WriteBlockStarts(starts);
  PMDEX_RETURN_IF_ERROR(file_.Finish(starts));
  PMDEX_ASSIGN_OR_RETURN(SectionStream slots,
                         file_.Start(SectionKind::kRareTermSlots, dictionary_.rare_slots_bytes()));
  dictionary_.WriteRareSlots(slots);
  PMDEX_RETURN_IF_ERROR(file_.Finish(slots));
  PMDEX_ASSIGN_OR_RETURN(SectionStream signatures,
                         file_.Start(SectionKind::kTermSignatures, dictionary_.signatures_bytes()));
  dictionary_.WriteSignatures(signatures);
  return file_.Finish(signatures);
}

absl::Status SegmentWriter::WriteDocuments() {
  PMDEX_ASSIGN_OR_RETURN(SectionStream norms, file_.Start(SectionKind::kNorms, plan_.norms_bytes));
  for (size_t i = 0; i < input_.fields().size(); ++i) {
    norms.AppendArray(input_.norms(static_cast<FieldId>(i)));
    norms.PadTo(AlignUp(norms.size_bytes(), kNormRowAlignment));
  }
  PMDEX_RETURN_IF_ERROR(file_.Finish(norms));
  const uint64_t entries_bytes = uint64_t{input_.doc_count()} * plan_.doc_entry_bytes;
  PMDEX_ASSIGN_OR_RETURN(auto streams,
                         file_.StartTwo({SectionKind::kDocEntries, entries_bytes},
                                        {SectionKind::kDocIdBytes, plan_.doc_id_bytes}));
  auto& [entries, ids] = streams;
  const DocEntryWriter writer(plan_.doc_entry_bytes, entries, ids);
  for (DocId doc = 0; doc < input_.doc_count(); ++doc) {
    writer.Append(input_.doc_id(doc));
  }
  PMDEX_RETURN_IF_ERROR(file_.Finish(entries));
  return file_.Finish(ids);
}

absl::Status SegmentWriter::WriteStoredText() {
  const size_t count = input_.stored_chunk_count();
  PMDEX_ASSIGN_OR_RETURN(
      auto streams, file_.StartTwo({SectionKind::kStoredChunks, (count + 1) * sizeof(StoredChunk)},
                                   {SectionKind::kStoredBytes, plan_.stored_bytes}));
  auto& [table, frames] = streams;
  for (size_t i = 0; i < count; ++i) {
    StoredChunk chunk = input_.stored_chunk(i);
    chunk.offset = frames.size_bytes();
    table.AppendValue(chunk);
    frames.Append(input_.stored_chunk_bytes(i));
  }
  table.AppendValue(StoredChunk{frames.size_bytes(), input_.doc_count(), 0});
  PMDEX_RETURN_IF_ERROR(file_.Finish(table));
  return file_.Finish(frames);
}

absl::Status SegmentWriter::WriteColumns() {
  PMDEX_ASSIGN_OR_RETURN(SectionStream stream,
                         file_.Start(SectionKind::kNumericColumns, columns_.size_bytes()));
  PMDEX_RETURN_IF_ERROR(columns_.Write(stream));
  return file_.Finish(stream);
}

FileHeader SegmentWriter::Header() const {
  FileHeader header{};
  header.segment_id = segment_id_;
  header.doc_count = input_.doc_count();
  header.field_count = static_cast<uint32_t>(input_.fields().size());
  header.flags = (input_.has_positions() ? kSegmentHasPositions : 0) |
                 (input_.has_stored_text() ? kSegmentHasStoredText : 0);
  return header;
}

// One attempt to write the segment. count: as for PlanSegment. Returns nullopt, and leaves no file,
// if the plan of an attempt without `count` was too small.
absl::StatusOr<std::optional<SegmentFileInfo>> TryWriteSegment(Directory& directory,
                                                               uint64_t segment_id,
                                                               SegmentInput& input, bool count) {
  TermDictionaryWriter dictionary(kHashSeed, input.fields().size(), input.doc_count(),
                                  input.has_positions());
  PMDEX_ASSIGN_OR_RETURN(SegmentPlan plan, PlanSegment(input, count, dictionary));
  PMDEX_ASSIGN_OR_RETURN(const ColumnsWriter columns,
                         ColumnsWriter::Plan(input.columns(), input.doc_count()));
  plan.columns_bytes = columns.size_bytes();
  PMDEX_RETURN_IF_ERROR(dictionary.AssignBuckets());
  SegmentFileInfo info;
  info.file_name = SegmentFileName(segment_id);
  info.segment_id = segment_id;
  info.doc_count = input.doc_count();
  info.term_count = dictionary.term_count();
  info.posting_count = plan.posting_count;
  info.token_count = plan.token_count;
  const std::string temporary_name = info.file_name + ".tmp";
  PMDEX_ASSIGN_OR_RETURN(std::unique_ptr<WritableFile> file,
                         directory.Create(temporary_name, CapacityOf(plan, input, dictionary)));
  SegmentFileWriter writer(*file);
  absl::Status status = SegmentWriter(writer, segment_id, input, plan, columns, dictionary).Write();
  info.file_bytes = writer.file_bytes();
  info.header_crc = writer.header_crc();
  if (status.ok()) status = file->Seal(info.file_bytes);
  info.persist = file->counters();
  file.reset();
  if (status.ok()) status = directory.Rename(temporary_name, info.file_name);
  if (status.ok()) return info;
  directory.Remove(temporary_name).IgnoreError();  // the first error says more
  if (writer.overran() && !count) return std::nullopt;
  return status;
}

}  // namespace

std::string SegmentFileName(uint64_t segment_id) {
  // StrFormat would end the process if memory runs out.
  return absl::StrCat("segment-", absl::Hex(segment_id, absl::kZeroPad16), ".pmdex");
}

std::optional<uint64_t> ParseSegmentFileName(std::string_view name) {
  constexpr std::string_view kNamePrefix = "segment-";
  if (!name.starts_with(kNamePrefix)) return {};
  uint64_t segment_id = 0;
  std::from_chars(name.data() + kNamePrefix.size(), name.data() + name.size(), segment_id, 16);
  // A name with capitals or fewer digits is not the name of the segment.
  if (name != SegmentFileName(segment_id)) return {};
  return segment_id;
}

absl::StatusOr<SegmentFileInfo> WriteSegment(Directory& directory, uint64_t segment_id,
                                             SegmentInput& input) {
  const bool count = input.has_positions() && HasLongDocuments(input);
  PMDEX_ASSIGN_OR_RETURN(std::optional<SegmentFileInfo> info,
                         TryWriteSegment(directory, segment_id, input, count));
  if (!info.has_value()) {
    PMDEX_ASSIGN_OR_RETURN(info, TryWriteSegment(directory, segment_id, input, true));
  }
  return *std::move(info);
}

}  // namespace pmdex
