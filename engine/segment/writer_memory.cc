#include "engine/segment/writer_memory.h"

#include <algorithm>

#include "engine/segment/format.h"

namespace pmdex {
namespace {

// TermDictionaryWriter: a hash, and another one while they are sorted or later a bucket number;
// places of packed entries; a term in a block without its bytes.
constexpr uint64_t kHashBytes = sizeof(uint64_t);
constexpr uint64_t kBucketNumberBytes = sizeof(uint32_t);
constexpr uint64_t kPlaceBytes = sizeof(uint16_t);
constexpr uint64_t kBlockTermBytes = 2;
// Where blocks start, and packed entries of as many terms.
constexpr uint64_t kStartBytesPerBlock = 2 * sizeof(uint64_t);
// PackedEntries: the head of an entry, and what is behind the key of an inline list of one posting
// and of one in lanes.
constexpr uint64_t kEntryHeadBytes = 8;
constexpr uint64_t kOnePostingBytes = sizeof(DocId) + 2;
constexpr uint64_t kInlineTailBytes = sizeof(uint64_t);
constexpr uint64_t kLanesBytes = sizeof(uint64_t) + sizeof(LanePostings);
// The number of a term that waits for the second pass, in a vector that doubles.
constexpr uint64_t kOpenTermBytes = 3 * sizeof(uint32_t);
// PostingWriter: block metadata, and lanes of the longest list.
constexpr uint64_t kBlockBytes = sizeof(DocId) + sizeof(BoundPoints);
constexpr uint64_t kLongestListBytes = 2;

// Postings that may need an entry in kFreqOverflow: for a position, or for their frequency.
uint64_t FarPostings(const WriterCounts& counts) {
  if (!counts.has_positions) return 0;  // no one writes where the tokens are
  return std::min(counts.postings, counts.far_tokens);
}
uint64_t FrequentPostings(const WriterCounts& counts) {
  return std::min(counts.postings, counts.long_tokens / kFreqEscape);
}

// Packed entries but for their keys, and the numbers of those in lanes. The size of an entry, as a
// function of the term's first postings, is below the line through that of one posting and that of
// lanes; `step` is its slope, doubled.
uint64_t PackedBytes(const WriterCounts& counts) {
  const uint64_t one = kOnePostingBytes + (counts.has_positions ? kInlineTailBytes : 0);
  const uint64_t step = (kLanesBytes - one) * 2 / kMaxInlinePostings;
  const uint64_t further = counts.first_postings - std::min(counts.first_postings, counts.terms);
  // A list may be in lanes for a frequency or a position, whatever its length.
  const uint64_t forced = std::min(counts.terms, FarPostings(counts) + FrequentPostings(counts));
  return counts.terms * (kEntryHeadBytes + one) + (further * step + 1) / 2 +
         forced * (kLanesBytes - one) +
         std::min(counts.terms, further / kMaxInlinePostings + forced) * kOpenTermBytes;
}

uint64_t DictionaryBytes(const WriterCounts& counts) {
  const uint64_t in_chunks = counts.terms * kBlockTermBytes + counts.term_bytes +
                             std::min(counts.term_bytes, counts.terms * kInlineTermBytes) +
                             PackedBytes(counts) + counts.long_term_bytes;
  const uint64_t ends =
      in_chunks / (ByteChunks::kChunkBytes / ByteChunks::kMaxPieceBytes - 1);  // of full chunks
  return in_chunks + ends + counts.terms * (kHashBytes + kPlaceBytes) +
         counts.terms * kStartBytesPerBlock / kTermsPerBlock;
}

uint64_t ListBytes(const WriterCounts& counts) {
  // A list of more than a block's postings has at most twice as many blocks as fit.
  const uint64_t blocks = counts.postings * 2 / kBlockPostings * kBlockBytes;
  const uint64_t bits = counts.docs / 8 + counts.docs / 64;  // and ranks
  // One a group, in a vector that doubles.
  const uint64_t groups =
      counts.has_positions ? counts.docs * 3 * sizeof(uint32_t) / kPositionGroup : 0;
  // Each with the count of a run. Where there are positions beyond a page they have been counted,
  // else they are in vectors that double, once more while a list's are gathered.
  const uint64_t overflow = FarPostings(counts) * 2 * sizeof(OverflowEntry) +
                            FrequentPostings(counts) * 9 * sizeof(OverflowEntry);
  return blocks + counts.docs * kLongestListBytes + bits + groups + overflow;
}

// Checksums of the pages of sections, which are on the whole no larger than this makes the file.
uint64_t ChecksumBytes(const WriterCounts& counts) {
  const uint64_t file_bytes = counts.terms * 3 * sizeof(DictionaryEntry) / 2 + counts.term_bytes +
                              counts.long_term_bytes + counts.postings * 7 +
                              counts.docs * (sizeof(DocEntry) + 64) +
                              (counts.has_positions ? counts.tokens * 2 : 0);
  // They are gathered once more, in vectors that double.
  return 4 * PageChecksumsBytes(PagesOf(file_bytes));
}

}  // namespace

WriterMemory EstimateWriterMemory(const WriterCounts& counts) {
  const uint64_t dictionary = DictionaryBytes(counts);
  return {dictionary + counts.terms * kHashBytes, dictionary + counts.terms * kBucketNumberBytes +
                                                      ListBytes(counts) + ChecksumBytes(counts)};
}

}  // namespace pmdex
