// Iterates over the terms of one field of a term dictionary in byte order, for prefixes, wildcards,
// fuzzy words and merges. Reads the front-coded blocks, and verifies a block's pages when it enters
// the block. An iterator belongs to one thread; the dictionary must outlive it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "engine/analysis/analyzer.h"
#include "engine/segment/dictionary/term_dictionary.h"
#include "engine/segment/dictionary/term_line.h"
#include "engine/segment/format.h"
#include "pmem/status.h"

namespace pmdex {

// Begins before the first term. Damaged bytes end the iteration, and status() is then not OK.
class TermIterator {
 public:
  TermIterator(const TermDictionary& dictionary, FieldId field);

  // Moves to the first term >= target, forward or backward. Returns false if there is none. Costs
  // less if the target is a short way ahead.
  bool Seek(std::string_view target);
  // Moves to the first term of a block. Blocks are counted from the field's first; each has
  // kTermsPerBlock terms, and the last one may have fewer. Returns false if there is no such block.
  bool SeekBlock(uint64_t block);
  // Moves to a term before which about part/parts of the field's terms lie, for callers that divide
  // the terms among threads. Returns false if the field has no terms. Requires part < parts.
  bool SeekPart(uint64_t part, uint64_t parts);
  // Moves to the next term; at first to the first term. Returns false at the end and stays there.
  bool Next();
  // The current term; valid until the iterator moves. Like entry() and documents(), it requires
  // that the last Seek, SeekPart or Next returned true.
  std::string_view term() const { return {term_.data(), term_bytes_}; }
  // The entry of the current term. The page of a frequent term's entry is verified by this call,
  // because most callers need the entries of few terms.
  absl::StatusOr<DictionaryEntry> entry() const;
  // Where the documents of the current term are. Does not read the entry. The values are not
  // checked; Segment::LocateDocuments checks them.
  DocumentsPlace documents() const { return DocumentsOf(line_, dictionary_->line_format_); }
  // The block of the current term, as in SeekBlock.
  uint64_t block() const { return block_; }
  // The parts of the current term's line, and its bytes.
  const TermLine& parts() const { return line_; }
  std::span<const std::byte> line() const {
    return {rest_.data() - line_.size_bytes, rest_.data()};
  }
  const absl::Status& status() const { return status_; }
  // The byte at which Next will read. A caller that only moves forward needs none of the bytes
  // before it any more.
  const std::byte* position() const { return rest_.data(); }

 private:
  // So many bytes are copied for any shorter suffix, because a copy of a fixed size is faster.
  static constexpr size_t kShortCopy = 16;

  std::span<const std::byte> BlockBytes(uint64_t block);
  std::optional<std::string_view> Head(uint64_t block);
  std::optional<uint64_t> LastBlockUpTo(std::string_view target, uint64_t low, uint64_t high,
                                        uint64_t step);
  bool LoadBlock(uint64_t block);
  bool DecodeNext();
  bool EndHere();
  bool Fail(std::string_view what);

  const TermDictionary* dictionary_;
  FieldId field_;
  std::span<const uint64_t> starts_;  // of all blocks; pages not verified
  uint64_t first_block_ = 0;
  uint64_t block_count_ = 0;
  uint64_t block_ = 0;               // the current block, counted from the field's first
  std::span<const std::byte> rest_;  // the bytes of it behind the current term
  bool started_ = false;
  size_t term_bytes_ = 0;  // 0 if there is no current term
  std::array<char, kMaxTokenBytes + kShortCopy> term_;
  TermLine line_;  // of the current term
  absl::Status status_;
};

}  // namespace pmdex
