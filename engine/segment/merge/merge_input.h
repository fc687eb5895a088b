// Several segments as the input of one: WriteSegment of it merges them. Documents keep the order of
// the sources, or get another one; deleted documents are left out; fields are united by name. The
// file is then, byte for byte, that of a build of the same documents in the same order under the
// same id, but for three things: chunks of stored text that are copied keep their borders, a field
// that lost its last document stays, and fields are in the order in which the sources have them.
//
// The sources may be compressed; what is written is not, and ConvertSegment compresses it.
//
// Memory, besides that of the writer (writer_memory.h): one byte a document, and what MergedDocs,
// MergedTerms, MergedStoredText and MergedColumns say. It does not grow with the postings. Belongs
// to one thread; the sources must outlive it, and may be searched meanwhile.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/segment/merge/merge_source.h"
#include "engine/segment/merge/merged_columns.h"
#include "engine/segment/merge/merged_docs.h"
#include "engine/segment/merge/merged_fields.h"
#include "engine/segment/merge/merged_stored_text.h"
#include "engine/segment/segment_input.h"
#include "pmem/status.h"

namespace pmdex {

struct MergeInputOptions {
  // Another order of the documents: as for MergedDocs::Permute. Empty: that of the sources.
  std::vector<DocId> order;
  // Asked often; the merge ends with kCancelled once it returns true. May be empty.
  std::function<bool()> stop;
  // Other ids and columns of the documents of the result, in its order: the same texts under other
  // names. Empty and nullptr: those of the sources. They outlive the input.
  std::span<const std::string> ids = {};
  ColumnSource* columns = nullptr;
};

class MergeInput final : public SegmentInput {
 public:
  // Returns kInvalidArgument if the sources differ in analyzer, positions, stored text or the type
  // of a column, or are too much for one segment, and kDataLoss if one is damaged. Requires at
  // least one source, and as many ids as documents if there are any.
  static absl::StatusOr<std::unique_ptr<MergeInput>> Open(std::vector<MergeSource> sources,
                                                          MergeInputOptions options);

  // The first error of a source, or kCancelled. Once WriteSegment has returned, whatever it
  // returned, the segment that it wrote is right only if this is OK. kInternal of WriteSegment
  // follows from an error here.
  absl::Status status() const;

  AnalyzerKind analyzer() const override { return sources_[0].segment->analyzer(); }
  bool has_positions() const override { return sources_[0].segment->has_positions(); }
  bool has_stored_text() const override { return sources_[0].segment->has_stored_text(); }
  uint32_t doc_count() const override { return docs_.count(); }
  std::span<const SegmentField> fields() const override { return fields_; }
  std::span<const uint8_t> norms(FieldId field) const override;
  std::string_view doc_id(DocId doc) const override;
  // Not known, nor needed with knows_extras.
  uint32_t doc_token_count(DocId) const override { return 0; }
  bool knows_extras() const override { return true; }
  size_t stored_chunk_count() const override { return stored_text_.chunk_count(); }
  StoredChunk stored_chunk(size_t index) const override { return stored_text_.chunk(index); }
  std::span<const std::byte> stored_chunk_bytes(size_t index) const override;
  uint64_t stored_bytes() const override { return stored_text_.bytes(); }
  ColumnSource* columns() override {
    return other_columns_ != nullptr ? other_columns_ : &columns_;
  }
  std::unique_ptr<TermStream> OpenTerms() override;
  std::unique_ptr<TermStream> OpenSomeTerms(std::span<const uint32_t> numbers) override;

 private:
  MergeInput(std::vector<MergeSource> sources, MergedDocs docs, MergeInputOptions options);
  absl::Status CountFields();
  absl::Status FillNorms(FieldId field) const;

  const std::vector<MergeSource> sources_;
  const std::function<bool()> stop_;
  const std::span<const std::string> other_ids_;
  ColumnSource* const other_columns_;
  const MergedDocs docs_;
  const MergedFields merged_fields_;
  std::vector<SegmentField> fields_;
  MergedColumns columns_;
  // The interface lets readers ask for rows and chunks one after the other.
  mutable MergedStoredText stored_text_;
  mutable std::vector<uint8_t> norms_;
  mutable std::optional<FieldId> norms_field_;
  mutable MergedDocs::Place place_;  // of the id that was read last
  mutable std::string id_;           // holds it, if its segment is compressed
  mutable MergeStatus status_;
};

}  // namespace pmdex
