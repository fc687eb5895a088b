// What a segment is written from: a memtable at flush, or several segments at merge.
// Implementations are read by one thread, front to back.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/analysis/analyzer.h"
#include "engine/segment/format.h"
#include "pmem/status.h"

namespace pmdex {

// Up to kBlockPostings postings of one list, in docid order.
struct PostingBlock {
  uint32_t count = 0;
  DocId docids[kBlockPostings];
  uint32_t freqs[kBlockPostings];
  std::vector<uint32_t>
      positions;  // those of posting 0, then of 1, ...; ascending in each; empty when off
};

// Terms in order of (field, bytes), each with its postings.
class TermStream {
 public:
  virtual ~TermStream() = default;
  virtual bool Next() = 0;  // to the first, then the next term; false at the end
  virtual FieldId field() const = 0;
  virtual std::string_view term() const = 0;  // valid until Next
  virtual uint32_t df() const = 0;
  virtual uint64_t cf() const = 0;
  // Fills `block` with the next postings of the current term; false when there are no more. May be
  // called at most ceil(df / kBlockPostings) + 1 times a term; every block but the last is full.
  virtual bool NextBlock(PostingBlock& block) = 0;
};

// "term stream, field 0, term "x": WHAT", kInternal: the stream breaks its contract at its current
// term. Requires that it has one.
absl::Status BrokenStream(const TermStream& terms, std::string_view what);

struct SegmentField {
  std::string name;
  uint64_t doc_count = 0;
  uint64_t token_count = 0;
  std::span<const uint8_t> norms;  // doc_count of the segment; alive while the input is
};

class SegmentInput {
 public:
  virtual ~SegmentInput() = default;
  virtual AnalyzerKind analyzer() const = 0;
  virtual bool has_positions() const = 0;
  virtual bool has_stored_text() const = 0;
  virtual uint32_t doc_count() const = 0;
  virtual std::span<const SegmentField> fields() const = 0;  // index = FieldId
  // Valid until the next call.
  virtual std::string_view doc_id(DocId doc) const = 0;
  virtual uint32_t doc_token_count(DocId doc) const = 0;
  // At most so many terms come, for making room; 0: not known.
  virtual uint64_t most_terms() const { return 0; }
  // Compressed chunks in order; empty without stored text.
  virtual size_t stored_chunk_count() const = 0;
  virtual StoredChunk stored_chunk(size_t index) const = 0;  // offset is ignored by the writer
  virtual std::span<const std::byte> stored_chunk_bytes(size_t index) const = 0;
  // A new pass over the terms, the same ones each time. The writer makes one to lay out, which
  // takes the postings of short lists, and one over the others to write postings. (When pages of
  // positions outgrow its estimate, it starts again and counts them in the first.) Ends the streams
  // opened before: they may not be used any more.
  virtual std::unique_ptr<TermStream> OpenTerms() = 0;
  // The same over some of them: their numbers in the order of OpenTerms, ascending, which outlive
  // the stream. Ends the streams opened before. This one passes over the others.
  virtual std::unique_ptr<TermStream> OpenSomeTerms(std::span<const uint32_t> numbers);
};

}  // namespace pmdex
