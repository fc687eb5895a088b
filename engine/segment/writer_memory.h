// How much memory writing a segment takes, reckoned from a few counts of what it is written from:
// for who must reserve it before the input is complete. Everything that WriteSegment and the
// classes behind it hold at a time is in the sums, so a test compares them with what they really
// take.
//
// Pure; thread-safe.
#pragma once

#include <cstdint>

#include "engine/segment/dictionary/byte_chunks.h"

namespace pmdex {

// Counts of a SegmentInput. Larger ones are no error: no sum shrinks with any. Requires at least as
// many first_postings as terms.
struct WriterCounts {
  bool has_positions = false;
  uint64_t docs = 0;
  uint64_t terms = 0;
  uint64_t term_bytes = 0;
  uint64_t long_term_bytes = 0;  // of terms that do not fit into their entry
  uint64_t tokens = 0;
  uint64_t postings = 0;
  // Of each term the first kMaxInlinePostings + 1 postings; with positions, so many occurrences. As
  // many as decide whether a list fits into its entry.
  uint64_t first_postings = 0;
  // Of documents with so many tokens in a field that a frequency may escape.
  uint64_t long_tokens = 0;
  // Beyond the first page of positions, which no entry has room for. Without positions not counted.
  uint64_t far_tokens = 0;
};

// Bytes held at most, beside what the input takes, in the first pass and in what follows: without
// kWriterBufferBytes, and without the positions of one block of postings.
struct WriterMemory {
  uint64_t laying_out = 0;
  uint64_t writing = 0;
};

// However little is written: staging of the two sections that are open, the started chunks of three
// kinds of bytes, and the rest. Only what is filled of them becomes resident.
inline constexpr uint64_t kWriterBufferBytes = (2 << 20) + 3 * ByteChunks::kChunkBytes + (64 << 10);

WriterMemory EstimateWriterMemory(const WriterCounts& counts);

}  // namespace pmdex
