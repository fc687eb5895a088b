// The terms of several segments in one order, each with the postings of all sources: the TermStream
// of a merge. A heap holds the next term of each source.
//
// Memory: some KiB a source. With another order of documents twelve bytes a posting of the longest
// list besides; and the decoded list of a compressed source. Belongs to one thread; all arguments
// must outlive it. Keeps the first error of a source and ends there.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/segment/merge/merge_source.h"
#include "engine/segment/merge/merged_docs.h"
#include "engine/segment/merge/merged_fields.h"
#include "engine/segment/merge/source_postings.h"
#include "engine/segment/segment_input.h"

namespace pmdex {

class MergedTerms final : public TermStream {
 public:
  // numbers: the ascending indices of the terms wanted; nullopt for all terms. stop: asked often;
  // the stream ends with kCancelled once it returns true. May be empty. counted: the fields of the
  // result, to whose token_count the cf of all terms are added; may be empty.
  MergedTerms(std::span<const MergeSource> sources, const MergedDocs& docs,
              const MergedFields& fields, std::optional<std::span<const uint32_t>> numbers,
              const std::function<bool()>& stop, std::span<SegmentField> counted,
              MergeStatus& status);

  // For callers that want the documents alone: blocks have no positions then. Call it before
  // NextBlock.
  void LeaveOutPositions() {
    for (SourcePostings& reader : readers_) reader.LeaveOutPositions();
  }

  bool Next() override;
  FieldId field() const override { return static_cast<FieldId>(field_); }
  std::string_view term() const override { return term_; }
  uint32_t df() const override { return counts_.df; }
  uint64_t cf() const override { return counts_.cf; }
  ListExtras extras() const override { return counts_.extras; }
  bool NextBlock(PostingBlock& block) override;

 private:
  struct Cursor {
    TermIterator iterator;
    uint32_t source;
    uint64_t prefix;  // the first bytes of the term, as a number with the order of the bytes
  };
  struct Part {  // of the current term
    uint32_t source;
    DictionaryEntry entry;
  };

  bool Fail(const absl::Status& status);
  bool IsWanted() const;
  bool TakeTerm();
  bool OpenField();
  bool Advance(Cursor& cursor);
  bool CountParts(bool is_wanted);
  bool IsGreater(uint32_t a, uint32_t b) const;
  bool FillInOrder(PostingBlock& block);
  bool GatherNumbered();

  const std::span<const MergeSource> sources_;
  const MergedDocs& docs_;
  const MergedFields& fields_;
  const std::optional<std::span<const uint32_t>> numbers_;
  const std::function<bool()>& stop_;
  const std::span<SegmentField> counted_;
  MergeStatus& status_;
  bool has_deleted_ = false;             // any source
  std::vector<SourcePostings> readers_;  // by source

  int64_t field_ = -1;
  std::vector<Cursor> cursors_;  // of the field's sources
  std::vector<uint32_t> heap_;   // indices of cursors_
  std::vector<uint32_t> taken_;  // the cursors that stand at the current term, in order of sources

  uint64_t passed_ = 0;     // terms with postings before the current one
  size_t next_number_ = 0;  // in numbers_
  std::string term_;
  std::vector<Part> parts_;
  SourcePostings::Counts counts_;
  bool is_open_ = false;  // NextBlock was called for the term
  size_t part_ = 0;       // the part that is read
  bool is_part_open_ = false;
  // With another order, or with few live documents: all postings.
  std::vector<SourcePostings::Numbered> numbered_;
  size_t next_numbered_ = 0;
};

}  // namespace pmdex
