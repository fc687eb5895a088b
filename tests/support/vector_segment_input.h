// A simple SegmentInput of vectors and maps, for tests. It is the input of WriteSegment, and its
// functions say what the segment must contain (postings(), length(), stored()).
//
//   VectorSegmentInput input({.positions = true});
//   const FieldId body = input.AddField("body");
//   const DocId doc = input.AddDocument("doc-1");
//   input.AddText(doc, body, "one two one");
//   input.Finish();
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/columns/column_set_builder.h"
#include "engine/segment/documents/doc_store.h"
#include "engine/segment/segment_input.h"

namespace pmdex {

struct VectorPosting {
  DocId doc = 0;
  uint32_t freq = 0;
  std::vector<uint32_t> positions;  // freq positions, or empty
};

struct VectorSegmentOptions {
  bool positions = true;
  bool stored_text = false;
  AnalyzerKind analyzer = AnalyzerKind::kWhitespace;
};

class VectorSegmentInput : public SegmentInput {
 public:
  using Terms = std::map<std::pair<FieldId, std::string>, std::vector<VectorPosting>>;

  explicit VectorSegmentInput(VectorSegmentOptions options) : options_(options) {}

  FieldId AddField(std::string name);
  DocId AddDocument(std::string id);
  // Requires ascending documents for each term. With positions, freq must be positions.size().
  void AddPosting(FieldId field, std::string_view term, VectorPosting posting);
  // Adds the words between spaces. Their positions follow that of the last token of the field. Also
  // stores the text if text is stored.
  void AddText(DocId doc, FieldId field, std::string_view text);
  void AddStoredValue(DocId doc, FieldId field, std::string text);
  // Adds a value of a column. Requires ascending documents for each column.
  void AddValue(DocId doc, std::string_view field, const FieldValue& value) {
    columns_.Add(field, doc, value);
  }
  // Computes lengths and chunks. No Add may follow.
  void Finish();

  const Terms& terms() const { return terms_; }
  uint32_t length(FieldId field, DocId doc) const { return lengths_.at(field).at(doc); }
  const std::vector<std::pair<FieldId, std::string>>& stored(DocId doc) const {
    return stored_.at(doc);
  }

  AnalyzerKind analyzer() const override { return options_.analyzer; }
  bool has_positions() const override { return options_.positions; }
  bool has_stored_text() const override { return options_.stored_text; }
  uint32_t doc_count() const override { return static_cast<uint32_t>(ids_.size()); }
  std::span<const SegmentField> fields() const override { return fields_; }
  std::string_view doc_id(DocId doc) const override { return ids_.at(doc); }
  uint32_t doc_token_count(DocId doc) const override { return doc_token_counts_.at(doc); }
  size_t stored_chunk_count() const override { return chunks_.chunk_count(); }
  StoredChunk stored_chunk(size_t index) const override { return chunks_.chunk(index); }
  std::span<const std::byte> stored_chunk_bytes(size_t index) const override {
    return chunks_.chunk_bytes(index);
  }
  ColumnSetBuilder* columns() override { return &columns_; }
  std::unique_ptr<TermStream> OpenTerms() override;

 private:
  VectorSegmentOptions options_;
  std::vector<std::string> ids_;
  Terms terms_;
  std::vector<std::vector<std::pair<FieldId, std::string>>> stored_;
  std::map<std::pair<FieldId, DocId>, uint32_t> next_position_;
  ColumnSetBuilder columns_;
  // Filled by Finish.
  std::vector<SegmentField> fields_;
  std::vector<std::vector<uint32_t>> lengths_;  // indexed by field and document
  std::vector<std::vector<uint8_t>> norms_;
  std::vector<uint32_t> doc_token_counts_;
  DocStoreBuilder chunks_;
};

}  // namespace pmdex
