// The interface through which the segment writer reads its input: a memtable that is flushed, or
// several segments that are merged. One thread reads an input, from front to back.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/analysis/analyzer.h"
#include "engine/segment/format.h"
#include "engine/segment/postings/block_positions.h"
#include "pmem/status.h"

namespace pmdex {

class ColumnSource;

// Up to kBlockPostings postings of one list, in ascending order of docids.
struct PostingBlock {
  uint32_t count = 0;
  DocId docids[kBlockPostings];
  uint32_t freqs[kBlockPostings];
  // The freqs[0] positions of posting 0, then the freqs[1] positions of posting 1, and so on; those
  // of each posting ascend. Empty without positions.
  BlockPositions positions;
};

// What a list needs in addition to a position entry for each token.
struct ListExtras {
  uint64_t page_marks = 0;
  uint64_t overflow_entries = 0;
};

// The terms of an input in ascending order of (field, bytes), each with its postings.
class TermStream {
 public:
  virtual ~TermStream() = default;
  virtual bool Next() = 0;  // moves to the first, then to the next term; false at the end
  virtual FieldId field() const = 0;
  virtual std::string_view term() const = 0;  // valid until Next
  virtual uint32_t df() const = 0;
  virtual uint64_t cf() const = 0;
  // Fills `block` with the next postings of the current term; false if there are no more. All
  // blocks but the last have kBlockPostings. Callers may call it at most ceil(df / kBlockPostings)
  // + 1 times for a term.
  virtual bool NextBlock(PostingBlock& block) = 0;
  // The extras of the current term, without page marks if the segment has no positions. Only
  // streams of an input with knows_extras() have them.
  virtual ListExtras extras() const { return {}; }
};

// The kInternal error for a stream that breaks its contract at its current term: 'term stream,
// field 0, term "x": WHAT'. Requires that the stream has a current term.
absl::Status BrokenStream(const TermStream& terms, std::string_view what);

struct SegmentField {
  std::string name;
  uint64_t doc_count = 0;
  uint64_t token_count = 0;
  // A length code for each document; valid as long as the input. Empty if the input overrides
  // SegmentInput::norms. Readers call that function.
  std::span<const uint8_t> norms;
};

class SegmentInput {
 public:
  virtual ~SegmentInput() = default;
  virtual AnalyzerKind analyzer() const = 0;
  virtual bool has_positions() const = 0;
  virtual bool has_stored_text() const = 0;
  virtual uint32_t doc_count() const = 0;
  // Indexed by FieldId. The counts may be 0 until a stream of OpenTerms has come to its end.
  virtual std::span<const SegmentField> fields() const = 0;
  // A length code for each document. Valid until the next call for another field.
  virtual std::span<const uint8_t> norms(FieldId field) const { return fields()[field].norms; }
  // Valid until the next call.
  virtual std::string_view doc_id(DocId doc) const = 0;
  virtual uint32_t doc_token_count(DocId doc) const = 0;
  // True if TermStream::extras is right. Otherwise the writer bounds the extras with the help of
  // doc_token_count, or reads the postings once more.
  virtual bool knows_extras() const { return false; }
  // An upper bound of the number of terms, so that the writer can reserve memory; 0 if unknown.
  virtual uint64_t most_terms() const { return 0; }
  // The compressed chunks of stored text in order; none without stored text. The writer ignores
  // StoredChunk::offset. The bytes of a chunk are valid until the next call.
  virtual size_t stored_chunk_count() const = 0;
  virtual StoredChunk stored_chunk(size_t index) const = 0;
  virtual std::span<const std::byte> stored_chunk_bytes(size_t index) const = 0;
  // An upper bound of the bytes of all chunks.
  virtual uint64_t stored_bytes() const;
  // The columns; nullptr without any. The input owns them.
  virtual ColumnSource* columns() { return nullptr; }
  // A new pass over all terms, which must be the same each time. The writer makes one pass with
  // OpenTerms, in which it reads short lists, and one with OpenSomeTerms to write the other lists.
  // It makes both passes again if its plan was too small. Earlier streams may not be used after a
  // call.
  virtual std::unique_ptr<TermStream> OpenTerms() = 0;
  // A new pass over some terms. numbers: the ascending indices of these terms in the order of
  // OpenTerms; they must outlive the stream. Earlier streams may not be used after a call. The
  // default implementation skips the other terms of OpenTerms.
  virtual std::unique_ptr<TermStream> OpenSomeTerms(std::span<const uint32_t> numbers);
};

}  // namespace pmdex
