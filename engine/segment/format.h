// The bytes of a segment file, format version 1. Only this file knows offsets; docs/FORMAT.md says
// the same in words, with a worked example. Everything is little-endian and fixed for ever once
// written.
//
//   header page (4096 B): FileHeader, SectionEntry[kMaxSections], zeros, CRC32C of the page before
//   it sections, each at a multiple of kSectionAlignment, zeros between them; written front to back
//
// Postings of one list are contiguous and kept as separate lanes (structure of arrays).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "pmem/status.h"

namespace pmdex {

static_assert(std::endian::native == std::endian::little, "segments are read in place");

using DocId = uint32_t;    // local to one segment: 0..doc_count-1
using FieldId = uint16_t;  // local to one segment: index into its field table

inline constexpr uint64_t kSegmentMagic = 0x4745535845444d50;  // "PMDEXSEG"
inline constexpr uint32_t kSegmentVersion = 1;
inline constexpr uint32_t kEndianMark = 0x01020304;
inline constexpr size_t kHeaderPageBytes = 4096;
inline constexpr size_t kSectionAlignment = 256;  // the internal line of Optane media
inline constexpr size_t kMaxSections = 64;
inline constexpr size_t kLaneTailBytes =
    64;  // zeros after the last lane, part of kPostings: a whole-vector load stays inside
inline constexpr size_t kNormRowAlignment = 64;
inline constexpr uint32_t kMaxDocsPerSegment = 0xfffffffe;

// A section's kind. Numbers are never reused; a reader skips kinds it does not know unless the
// entry carries kSectionRequired.
enum class SectionKind : uint32_t {
  kMeta = 1,               // SegmentMeta, FieldEntry[field_count], names
  kPostings = 2,           // one extent a list: docids | freqs | codes | position group starts, or
                           // bits | ranks | freqs | ... (PostingExtent)
  kPositions = 3,          // u16 entries
  kBlockLastDocs = 4,      // u32 a block of kBlockPostings
  kBlockBounds = 5,        // BoundPoints a block
  kFreqOverflow = 6,       // OverflowEntry
  kDictionaryEntries = 7,  // DictionaryEntry: the hashed dictionary, read in place
  kTermBytes = 8,          // bytes of terms that do not fit into their entry
  kTermBlocks = 9,         // front-coded terms in order, with bucket numbers
  kTermBlockStarts = 10,   // u64 a term block, plus one sentinel
  kNorms = 11,             // u8 length codes: one row of doc_count bytes a field, rows 64 B aligned
  kDocEntries = 12,        // DocEntry, of SegmentMeta::doc_entry_bytes each
  kDocIdBytes = 13,
  kStoredChunks = 14,   // StoredChunk, plus one sentinel
  kStoredBytes = 15,    // zstd frames
  kPageChecksums = 16,  // u32 a page of every other section, and two levels above them
  // Reserved for later writers: their place in the file is settled, their bytes are not.
  kLiveDocs = 32,
  kCompressedUnits = 35,
  kNumericColumns = 36,
  kPairs = 37,
};
inline constexpr SectionKind kLastKnownSection = SectionKind::kPageChecksums;
inline constexpr uint32_t kSectionRequired =
    1;  // SectionEntry::flags: refuse the file when unknown

struct SectionEntry {
  SectionKind kind;
  uint32_t flags;
  uint64_t offset;      // from the start of the file, multiple of kSectionAlignment
  uint64_t size_bytes;  // exact
  uint64_t checksum;    // XXH3-64 of the size_bytes
};
static_assert(sizeof(SectionEntry) == 32);

struct FileHeader {
  uint64_t magic;
  uint32_t version;
  uint32_t endian_mark;
  uint64_t file_bytes;  // length of the file
  uint64_t segment_id;
  uint32_t section_count;
  uint32_t doc_count;
  uint32_t field_count;
  uint32_t flags;  // kSegmentHasPositions | kSegmentHasStoredText
  uint64_t reserved[2];
};
static_assert(sizeof(FileHeader) == 64);
static_assert(sizeof(FileHeader) + kMaxSections * sizeof(SectionEntry) + 4 <= kHeaderPageBytes);
inline constexpr size_t kHeaderCrcOffset =
    kHeaderPageBytes - 4;  // u32 CRC32C of [0, kHeaderCrcOffset)
inline constexpr uint32_t kSegmentHasPositions = 1;
inline constexpr uint32_t kSegmentHasStoredText = 2;

struct SegmentMeta {
  uint8_t analyzer;         // AnalyzerKind
  uint8_t doc_entry_bytes;  // one of kDocEntrySizes
  uint8_t reserved_bytes[2];
  uint32_t home_bucket_count;  // a term's home bucket is (hash >> 32) * home_bucket_count >> 32
  uint64_t hash_seed;
  uint64_t term_count;
  uint64_t posting_count;
  uint64_t token_count;
  uint64_t reserved[3];
};
static_assert(sizeof(SegmentMeta) == 64);

struct FieldEntry {
  uint32_t name_offset;  // from the start of the meta section
  uint32_t name_bytes;
  uint64_t doc_count;      // documents with at least one token in the field (Lucene's docCount)
  uint64_t token_count;    // sum of lengths (sumTotalTermFreq)
  uint64_t posting_count;  // sum of df (sumDocFreq)
  uint64_t term_count;
  uint32_t first_term_block;  // the field's terms are term blocks [first, first + count)
  uint32_t term_block_count;
  uint64_t reserved[2];
};
static_assert(sizeof(FieldEntry) == 64);

// kPageChecksums, all u32, each the low half of the XXH3-64 of what it covers:
//   of the pages       one a 4 KiB page of every other section, in the order of the section table;
//                      pages count from the section's start, its last one may be shorter
//   of the checksums   one a 4 KiB page of the numbers above (so of 4 MiB of pages)
//   the root           one, of all the numbers of the level before it
inline constexpr uint64_t kPageBytes = 4096;
inline constexpr uint64_t kChecksumsPerPage = kPageBytes / sizeof(uint32_t);
constexpr uint64_t PagesOf(uint64_t size_bytes) {
  return size_bytes / kPageBytes + (size_bytes % kPageBytes != 0 ? 1 : 0);
}
// Requires page_count < 2^60.
constexpr uint64_t PageChecksumsBytes(uint64_t page_count) {
  return (page_count + PagesOf(page_count * sizeof(uint32_t)) + 1) * sizeof(uint32_t);
}

// --- Dictionary
// -------------------------------------------------------------------------------------

// (tf, length code) pairs that together dominate every posting covered: the score of each posting
// is at most the greatest score of the four. tf 255 means "255 or more". Unused points are (0, 0).
struct BoundPoints {
  uint8_t tf[4];
  uint8_t length_code[4];
};
static_assert(sizeof(BoundPoints) == 8);

enum class Representation : uint8_t {
  kEmpty = 0,                // no term in this entry: a probe ends here
  kInline = 1,               // 1..kMaxInlinePostings postings in the entry itself
  kInlineWithPositions = 2,  // the same, and their position entries (at most 4) too
  kLanes = 3,                // an extent in kPostings
  kBitset = 4,               // the same, with bits and ranks for docids (IsBitset)
  kCompressed = 5,           // reserved
};
// True if the postings are in the entry itself.
constexpr bool IsInline(Representation representation) {
  return representation == Representation::kInline ||
         representation == Representation::kInlineWithPositions;
}
inline constexpr uint32_t kMaxInlinePostings = 4;
inline constexpr uint32_t kMaxInlinePositions = 4;
inline constexpr size_t kInlineTermBytes = 16;

struct InlinePostings {
  uint32_t docids[kMaxInlinePostings];
  uint8_t freqs[kMaxInlinePostings];  // 1..254: a list with an escape is never inline
  uint8_t codes[kMaxInlinePostings];
  union {
    uint64_t position_start;  // kInline: entry index into kPositions (0 without positions)
    uint16_t positions[kMaxInlinePositions];  // kInlineWithPositions
  };
};
struct LanePostings {
  uint64_t postings_offset;  // from the start of kPostings; see PostingExtent
  uint64_t position_start;   // entry index into kPositions
  uint32_t
      block_start;  // first block in kBlockLastDocs/kBlockBounds, kNoBlocks for a list of one block
  uint32_t overflow_start;  // index of the list's count entry in kFreqOverflow, or kNoOverflow
  BoundPoints bounds;       // of the whole list
};
inline constexpr uint32_t kNoBlocks = 0xffffffff;
inline constexpr uint32_t kNoOverflow = 0xffffffff;

struct DictionaryEntry {
  // Terms of up to 16 bytes: the bytes, zero-padded. Longer: XXH3-64 of the bytes (seed hash_seed),
  // then the u64 offset of the bytes in kTermBytes.
  uint8_t key[kInlineTermBytes];
  FieldId field;
  uint8_t term_bytes;  // 1..255
  Representation representation;
  uint32_t df;  // postings
  uint64_t cf;  // sum of frequencies
  union {
    InlinePostings inlined;
    LanePostings lanes;
  };
};
static_assert(sizeof(InlinePostings) == 32 && sizeof(LanePostings) == 32);
static_assert(sizeof(DictionaryEntry) == 64 && offsetof(DictionaryEntry, inlined) == 32);

// kTermBlocks: blocks of kTermsPerBlock terms of one field in byte order (the last of a field may
// be shorter). Each term: u8 bytes shared with the term before it (0 at the head), u8 bytes that
// follow, these bytes, u32 bucket number, and where its documents are (documents_place.h): of an
// inline list u8 df and df u32 docids; of another u8 0, u32 df, u40 postings_offset / kExtentUnit.
inline constexpr uint32_t kTermsPerBlock = 32;
inline constexpr size_t kTermHeadBytes = 2;  // bytes shared, bytes that follow
inline constexpr uint64_t kExtentUnit = 64;  // every ExtentAlignment is a multiple
inline constexpr size_t kExtentNumberBytes = 5;
inline constexpr uint64_t kMaxPostingsBytes =
    (uint64_t{1} << (8 * kExtentNumberBytes)) * kExtentUnit;

// The entry array has home_bucket_count entries and as many more as the last cluster needs, then
// one empty bucket: a probe walks forward and never wraps.
inline constexpr double kDictionaryLoadFactor = 2.0 / 3.0;

// --- Postings
// ---------------------------------------------------------------------------------------

inline constexpr uint32_t kBlockPostings = 256;
inline constexpr uint8_t kFreqEscape = 255;     // the frequency stands in kFreqOverflow
inline constexpr uint32_t kPositionGroup = 16;  // postings that share one stored position start
inline constexpr uint16_t kPositionPageMark =
    0xffff;  // entry: the positions that follow are kPositionPage higher
inline constexpr uint32_t kPositionPage = 0xffff;

// kFreqOverflow, one run a list that needs it: an entry {posting = number of entries that follow,
// 0, 0}, then these entries sorted by posting. A posting escapes when its frequency is 255 or more,
// or when page marks make its position entries more than its frequency.
struct OverflowEntry {
  uint32_t posting;  // index in the list
  uint32_t freq;
  uint32_t position_entries;
};
static_assert(sizeof(OverflowEntry) == 12);

// A bitset has, in the place of docids, a bit a document (u64 words: bit d % 64 of word d / 64),
// whole runs of kRankDocs with zeros behind the last document; then a rank a run (u32): the bits
// set before it, and the df at the end.
inline constexpr uint32_t kRankDocs = 512;  // one cache line of bits
constexpr uint64_t BitsetRuns(uint32_t doc_count) {
  return (uint64_t{doc_count} + kRankDocs - 1) / kRankDocs;
}
constexpr uint64_t BitsetWords(uint32_t doc_count) {
  return BitsetRuns(doc_count) * (kRankDocs / 64);
}

// Where the lanes of a list of df postings lie within its extent. Lists of kBlockPostings or more
// start at a multiple of 256 B, shorter ones of 64 B; lanes of lists of 64 or more are 64 B
// aligned, of shorter ones 16 B (five to eight postings fill exactly one cache line).
struct PostingExtent {
  uint64_t ranks_offset;   // bits are at 0; 0: no bitset, the docid lane (u32) is at 0
  uint64_t freqs_offset;   // u8
  uint64_t codes_offset;   // u8
  uint64_t groups_offset;  // u32 start (entries after position_start) of groups 1, 2, ...: none for
                           // group 0
  uint64_t size_bytes;     // rounded up to the lane alignment
};
constexpr uint64_t AlignUp(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}
constexpr uint64_t ExtentAlignment(uint32_t df) {
  return df >= kBlockPostings ? 256 : 64;
}
// Whether a list has bits instead of docids: when they take no more room. Writers and readers agree
// by this function; a list that has the one where it says the other is damaged.
constexpr bool IsBitset(uint32_t df, uint32_t doc_count) {
  const uint64_t bits = BitsetWords(doc_count) * 8;
  const uint64_t ranks = AlignUp((BitsetRuns(doc_count) + 1) * 4, 64);
  return df > kBlockPostings && bits + ranks <= AlignUp(uint64_t{df} * 4, 64);
}
constexpr PostingExtent LayOutPostings(uint32_t df, uint32_t doc_count, bool positions) {
  const uint64_t lane = df >= 64 ? 64 : 16;
  const uint64_t groups = positions ? (uint64_t{df} + kPositionGroup - 1) / kPositionGroup - 1 : 0;
  PostingExtent extent{};
  if (IsBitset(df, doc_count)) {
    extent.ranks_offset = BitsetWords(doc_count) * 8;
    extent.freqs_offset = extent.ranks_offset + AlignUp((BitsetRuns(doc_count) + 1) * 4, lane);
  } else {
    extent.freqs_offset = AlignUp(uint64_t{df} * 4, lane);
  }
  extent.codes_offset = extent.freqs_offset + AlignUp(df, lane);
  extent.groups_offset = extent.codes_offset + AlignUp(df, lane);
  extent.size_bytes = extent.groups_offset + AlignUp(groups * 4, lane);
  return extent;
}

// --- Documents
// --------------------------------------------------------------------------------------

// What an entry of kDocEntries begins with. An id that fits stands in the entry, from id_begin to
// its end, so that a hit is named from one place; zeros follow. That of any other
// document lies in kDocIdBytes, behind those before it; the rest of the entry is zero.
struct DocEntry {
  uint32_t token_count;  // over all fields, before quantisation
  uint16_t id_bytes;
  uint8_t id_begin[2];
  uint64_t id_offset;  // in kDocIdBytes, when the id does not fit
};
static_assert(sizeof(DocEntry) == 16);
inline constexpr uint32_t kDocEntrySizes[] = {16, 32, 64, 128};
// How long the ids are that fit into an entry of so many bytes.
constexpr uint32_t DocEntryIdRoom(uint32_t entry_bytes) {
  return entry_bytes - static_cast<uint32_t>(offsetof(DocEntry, id_begin));
}

// Stored text: documents in order, grouped into chunks that are compressed together. Raw chunk, for
// each document: u32 bytes that follow for it, then for each stored value u16 field, u32 bytes, the
// bytes.
struct StoredChunk {
  uint64_t offset;     // in kStoredBytes; the frame ends where the next chunk's begins
  uint32_t first_doc;  // sentinel: doc_count
  uint32_t raw_bytes;
};
static_assert(sizeof(StoredChunk) == 16);
inline constexpr uint32_t kStoredChunkTargetBytes = 32 << 10;

}  // namespace pmdex
