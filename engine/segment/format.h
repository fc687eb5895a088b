// The layout of a segment file, format version 1. docs/FORMAT.md describes the same layout in words
// and has an example. All numbers are little-endian. Only this file knows byte offsets.
//
// A file begins with the header page of kHeaderPageBytes: the FileHeader,
// SectionEntry[section_count], zeros, and in the last four bytes the CRC32C of all bytes of the
// page before them. The sections follow in the order of the section table. Each begins at a
// multiple of kSectionAlignment, and zeros fill the space between them.
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
// So many zeros end kPostings, so that a vector load from the end of the last list stays inside.
inline constexpr size_t kLaneTailBytes = 64;
inline constexpr size_t kNormRowAlignment = 64;
inline constexpr uint32_t kMaxDocsPerSegment = 0xfffffffe;

// The kind of a section. Numbers are never reused. A reader skips sections of kinds that it does
// not know, unless their entry has the flag kSectionRequired.
enum class SectionKind : uint32_t {
  kMeta = 1,               // SegmentMeta, FieldEntry[field_count], names of the fields
  kPostings = 2,           // for each list that is not inline: its lanes (PostingExtent)
  kPositions = 3,          // u16[]: position entries (kPositionPageMark)
  kBlockLastDocs = 4,      // u32[]: the last docid of each block of kBlockPostings
  kBlockBounds = 5,        // BoundPoints[]: those of each block
  kFreqOverflow = 6,       // OverflowEntry[]
  kDictionaryEntries = 7,  // DictionaryEntry[]: the buckets of a hash table
  kTermBytes = 8,          // the terms of more than kInlineTermBytes, without gaps
  kTermBlocks = 9,         // all terms in order, front-coded in blocks of kTermsPerBlock
  kTermBlockStarts = 10,   // u64[]: where each term block begins, and the size of kTermBlocks
  kNorms = 11,             // for each field u8[doc_count] length codes, rounded up to
                           // kNormRowAlignment
  kDocEntries = 12,        // for each document a DocEntry of SegmentMeta::doc_entry_bytes
  kDocIdBytes = 13,        // the ids that do not fit into their DocEntry, without gaps
  kStoredChunks = 14,      // StoredChunk[]: one for each chunk, and a sentinel
  kStoredBytes = 15,       // the chunks, each one zstd frame
  kPageChecksums = 16,     // u32[]: see PageChecksumsBytes
  // Reserved. This version does not define what these sections hold.
  kLiveDocs = 32,
  kCompressedUnits = 35,
  kNumericColumns = 36,
  kPairs = 37,
};
inline constexpr SectionKind kLastKnownSection = SectionKind::kPageChecksums;
// A flag of SectionEntry: a reader that does not know the kind refuses the file.
inline constexpr uint32_t kSectionRequired = 1;

struct SectionEntry {
  SectionKind kind;
  uint32_t flags;
  uint64_t offset;      // from the start of the file; a multiple of kSectionAlignment
  uint64_t size_bytes;  // without padding
  uint64_t checksum;    // XXH3-64 of these bytes
};
static_assert(sizeof(SectionEntry) == 32);

struct FileHeader {
  uint64_t magic;
  uint32_t version;
  uint32_t endian_mark;
  uint64_t file_bytes;  // the length of the file
  uint64_t segment_id;
  uint32_t section_count;
  uint32_t doc_count;
  uint32_t field_count;
  uint32_t flags;  // kSegmentHasPositions | kSegmentHasStoredText
  uint64_t reserved[2];
};
static_assert(sizeof(FileHeader) == 64);
static_assert(sizeof(FileHeader) + kMaxSections * sizeof(SectionEntry) + 4 <= kHeaderPageBytes);
// Here is the u32 CRC32C of [0, kHeaderCrcOffset).
inline constexpr size_t kHeaderCrcOffset = kHeaderPageBytes - 4;
inline constexpr uint32_t kSegmentHasPositions = 1;
inline constexpr uint32_t kSegmentHasStoredText = 2;

struct SegmentMeta {
  uint8_t analyzer;         // an AnalyzerKind
  uint8_t doc_entry_bytes;  // one of kDocEntrySizes
  uint8_t reserved_bytes[2];
  uint32_t home_bucket_count;  // HomeBucket(hash) is ((hash >> 32) * home_bucket_count) >> 32
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
  uint64_t doc_count;      // documents with a token in the field (docCount in Lucene)
  uint64_t token_count;    // tokens of all documents (sumTotalTermFreq in Lucene)
  uint64_t posting_count;  // the sum of df over all terms (sumDocFreq in Lucene)
  uint64_t term_count;
  uint32_t first_term_block;  // in kTermBlocks
  uint32_t term_block_count;
  uint64_t reserved[2];
};
static_assert(sizeof(FieldEntry) == 64);

// kPageChecksums holds three levels of checksums, one after the other. Each checksum is a u32, the
// low half of the XXH3-64 of the bytes that it covers.
//   pages: one for each page of the other sections, in the order of the section table. A section is
//     divided into pages of kPageBytes from its start; its last page may be shorter.
//   checksums: one for each page of kPageBytes of the first level.
//   root: one, of all bytes of the second level.
inline constexpr uint64_t kPageBytes = 4096;
inline constexpr uint64_t kChecksumsPerPage = kPageBytes / sizeof(uint32_t);
constexpr uint64_t PagesOf(uint64_t size_bytes) {
  return size_bytes / kPageBytes + (size_bytes % kPageBytes != 0 ? 1 : 0);
}
// The size of kPageChecksums in a file whose other sections have page_count pages. Requires
// page_count < 2^60.
constexpr uint64_t PageChecksumsBytes(uint64_t page_count) {
  return (page_count + PagesOf(page_count * sizeof(uint32_t)) + 1) * sizeof(uint32_t);
}

// The term dictionary.

// Four pairs of a term frequency and a length code. For each posting that they cover there is a
// pair whose tf is no less than the posting's and whose length code is no greater. The score of the
// posting is therefore at most the best score of the four pairs. A tf of 255 means 255 or more.
// Pairs that are not used are (0, 0).
struct BoundPoints {
  uint8_t tf[4];
  uint8_t length_code[4];
};
static_assert(sizeof(BoundPoints) == 8);

// Where the postings of a term are.
enum class Representation : uint8_t {
  kEmpty = 0,                // the bucket is empty: the search for a term ends here
  kInline = 1,               // in the entry: up to kMaxInlinePostings without escapes
  kInlineWithPositions = 2,  // the same, and their positions are in the entry, too
  kLanes = 3,                // in an extent of kPostings, with docids
  kBitset = 4,               // in an extent of kPostings, with bits and ranks (IsBitset)
  kCompressed = 5,           // reserved
};
// True if the postings are in the entry.
constexpr bool IsInline(Representation representation) {
  return representation == Representation::kInline ||
         representation == Representation::kInlineWithPositions;
}
inline constexpr uint32_t kMaxInlinePostings = 4;
inline constexpr uint32_t kMaxInlinePositions = 4;
inline constexpr size_t kInlineTermBytes = 16;

// The postings of an inline list. Unused elements are 0.
struct InlinePostings {
  uint32_t docids[kMaxInlinePostings];
  uint8_t freqs[kMaxInlinePostings];  // 1..254
  uint8_t codes[kMaxInlinePostings];  // length codes
  union {
    // kInline: the index of the list's first entry in kPositions; 0 without positions.
    uint64_t position_start;
    uint16_t positions[kMaxInlinePositions];  // kInlineWithPositions
  };
};
// Where the parts of a list are that has an extent.
struct LanePostings {
  uint64_t postings_offset;  // of the extent, from the start of kPostings
  uint64_t position_start;   // as in InlinePostings
  uint32_t block_start;      // the index of its first block in kBlockLastDocs and kBlockBounds, or
                             // kNoBlocks for a list of one block
  uint32_t overflow_start;   // the index of its run in kFreqOverflow, or kNoOverflow
  BoundPoints bounds;        // of the whole list
};
inline constexpr uint32_t kNoBlocks = 0xffffffff;
inline constexpr uint32_t kNoOverflow = 0xffffffff;

// A term of one field, in a bucket of the hash table. All bytes of an empty bucket are 0.
struct DictionaryEntry {
  // A term of up to kInlineTermBytes, with zeros behind it. For a longer term the u64 XXH3-64 of
  // the term with the seed hash_seed, then the u64 offset of the term in kTermBytes.
  uint8_t key[kInlineTermBytes];
  FieldId field;
  uint8_t term_bytes;  // the length of the term, 1..255
  Representation representation;
  uint32_t df;  // the number of postings
  uint64_t cf;  // the sum of their frequencies
  union {
    InlinePostings inlined;  // kInline, kInlineWithPositions
    LanePostings lanes;      // kLanes, kBitset
  };
};
static_assert(sizeof(InlinePostings) == 32 && sizeof(LanePostings) == 32);
static_assert(sizeof(DictionaryEntry) == 64 && offsetof(DictionaryEntry, inlined) == 32);

// kTermBlocks holds the terms of each field in byte order, in blocks of kTermsPerBlock terms. The
// last block of a field may have fewer. A term is stored as
//   u8 the number of first bytes that it shares with the term before it; 0 in the first of a block
//   u8 the number of the other bytes, and these bytes
//   u32 the number of its bucket
//   where its documents are (documents_place.h): for an inline list u8 df and u32 docids[df], for
//     another list u8 0, u32 df, and postings_offset / kExtentUnit in kExtentNumberBytes.
inline constexpr uint32_t kTermsPerBlock = 32;
inline constexpr size_t kTermHeadBytes = 2;  // the first two u8
inline constexpr uint64_t kExtentUnit = 64;  // every ExtentAlignment is a multiple of it
inline constexpr size_t kExtentNumberBytes = 5;
inline constexpr uint64_t kMaxPostingsBytes =
    (uint64_t{1} << (8 * kExtentNumberBytes)) * kExtentUnit;

// The hash table resolves collisions by linear probing. It has home_bucket_count buckets, behind
// them as many as the last cluster needs, and one empty bucket. A search therefore never begins
// again at the front. Writers choose home_bucket_count as the number of terms over this load
// factor.
inline constexpr double kDictionaryLoadFactor = 2.0 / 3.0;

// Postings.

// The postings of a list are divided into blocks of kBlockPostings for bounds, and into groups of
// kPositionGroup for positions.
inline constexpr uint32_t kBlockPostings = 256;
inline constexpr uint32_t kPositionGroup = 16;
// A value of the freq lane: an OverflowEntry has the frequency.
inline constexpr uint8_t kFreqEscape = 255;
// The positions of a posting are u16 entries in ascending order. This entry is no position: the
// positions behind it, in the same posting, are greater by kPositionPage.
inline constexpr uint16_t kPositionPageMark = 0xffff;
inline constexpr uint32_t kPositionPage = 0xffff;

// A posting of which the lanes cannot hold all. Its frequency is kFreqEscape or more, or page marks
// give it more position entries than its frequency says. The entries of one list are a run in
// kFreqOverflow. The first entry of a run is {the number of other entries, 0, 0}; the others are
// sorted by posting.
struct OverflowEntry {
  uint32_t posting;  // its index in the list
  uint32_t freq;
  uint32_t position_entries;  // page marks included; 0 without positions
};
static_assert(sizeof(OverflowEntry) == 12);

// A bitset has two lanes instead of docids. The bits are u64 words: bit d % 64 of word d / 64 is
// set if the list has document d. They are whole runs of kRankDocs bits, with zeros behind the last
// document. The ranks are u32: for each run the number of bits that are set before it, and at the
// end the df.
inline constexpr uint32_t kRankDocs = 512;  // the bits of one cache line
constexpr uint64_t BitsetRuns(uint32_t doc_count) {
  return (uint64_t{doc_count} + kRankDocs - 1) / kRankDocs;
}
constexpr uint64_t BitsetWords(uint32_t doc_count) {
  return BitsetRuns(doc_count) * (kRankDocs / 64);
}

// Where the lanes of a list begin within its extent. The lanes are docids (u32), freqs (u8), length
// codes (u8) and, with positions, groups (u32). A bitset has bits (u64) and ranks (u32) instead of
// docids. The first lane begins at 0. Group i of `groups` is the number of position entries of the
// list before posting (i + 1) * kPositionGroup.
//
// Lanes begin at multiples of 64 bytes in lists of 64 or more postings, otherwise of 16 bytes: with
// five to eight postings they fill one cache line.
struct PostingExtent {
  uint64_t ranks_offset;  // 0 if the list is no bitset
  uint64_t freqs_offset;
  uint64_t codes_offset;
  uint64_t groups_offset;
  uint64_t size_bytes;  // the size of all lanes
};
constexpr uint64_t AlignUp(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}
// Extents of lists of df postings begin at multiples of this.
constexpr uint64_t ExtentAlignment(uint32_t df) {
  return df >= kBlockPostings ? 256 : 64;
}
// True if a list has bits and ranks instead of docids: if they take no more bytes. A list that
// has the other representation is damaged.
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

// Compressed units.

// A unit holds consecutive postings of one list, and can be read without any other unit. Its header
// comes first. Behind the header are, without gaps,
//   the gaps of the docids, packed with doc_width bits each; a gap is the number of docids between
//     a posting and the one before. A list whose documents are bits has none.
//   the frequency bytes less 1 (values of a freq lane), packed with freq_width bits
//   the length codes less least_code, packed with code_width bits
//   doc_exceptions places in the unit (u8), then as many gaps (u32)
//   freq_exceptions places in the unit (u8), then as many frequency bytes less 1 (u8)
// and zeros to the end of the unit. Packed values lie one behind the other, the low bits of each
// first; the last byte has zeros behind the last value. An exception replaces the packed value at
// its place, which is 0. The places ascend.
struct UnitHeader {
  uint32_t check;          // CRC32C of all bytes of the unit behind this field
  uint32_t first_posting;  // the index of the unit's first posting in the list
  uint32_t doc_before;     // the docid of the posting before; 0xffffffff at the start of the list
  uint8_t last;            // the number of postings less 1
  uint8_t doc_width;       // 0..kMaxUnitDocWidth or 32
  uint8_t freq_width;      // 0..8
  uint8_t code_width;      // 0..8
  uint8_t least_code;
  uint8_t doc_exceptions;   // at most kMaxUnitExceptions
  uint8_t freq_exceptions;  // at most kMaxUnitExceptions
  uint8_t reserved;
};
static_assert(sizeof(UnitHeader) == 20);
inline constexpr size_t kUnitBytes = 256;       // the internal line of Optane media
inline constexpr size_t kUnitAlignment = 64;    // the last unit of a list ends at a multiple of it
inline constexpr uint32_t kUnitPostings = 256;  // at most
inline constexpr uint32_t kMaxUnitDocWidth = 24;
inline constexpr uint32_t kMaxUnitExceptions = 16;

// A unit of consecutive 16-bit values, in which positions are stored. Behind the header are the
// values, packed with `width` bits, `exceptions` places (u8), as many values (u16), and zeros.
struct ValueUnitHeader {
  uint32_t check;        // as in UnitHeader
  uint32_t first_value;  // the index of the unit's first value in the list
  uint8_t last;          // the number of values less 1
  uint8_t width;         // 0..16
  uint8_t exceptions;    // at most kMaxUnitExceptions
  uint8_t reserved;
};
static_assert(sizeof(ValueUnitHeader) == 12);

// Documents.

// The first bytes of an entry of kDocEntries. All entries of a segment have the same size, one of
// kDocEntrySizes. The id of a document is in the entry, from id_begin on, if it fits. Otherwise it
// is in kDocIdBytes, and the entry has its id_offset. All other bytes of the entry are 0.
struct DocEntry {
  uint32_t token_count;  // in all fields
  uint16_t id_bytes;
  uint8_t id_begin[2];
  uint64_t id_offset;  // in kDocIdBytes, if the id does not fit
};
static_assert(sizeof(DocEntry) == 16);
inline constexpr uint32_t kDocEntrySizes[] = {16, 32, 64, 128};
// The length of the longest id that fits into an entry of entry_bytes.
constexpr uint32_t DocEntryIdRoom(uint32_t entry_bytes) {
  return entry_bytes - static_cast<uint32_t>(offsetof(DocEntry, id_begin));
}

// The stored text of consecutive documents, compressed as one zstd frame. Decompressed, it has for
// each document the u32 number of bytes that follow, then for each stored value u16 field, u32 the
// size of the value, and the value. The last StoredChunk of a segment is a sentinel without a
// frame.
struct StoredChunk {
  uint64_t offset;     // in kStoredBytes; the frame ends where that of the next chunk begins
  uint32_t first_doc;  // doc_count in the sentinel
  uint32_t raw_bytes;  // the size when decompressed; 0 in the sentinel
};
static_assert(sizeof(StoredChunk) == 16);
// Writers end a chunk that has reached this size before compression.
inline constexpr uint32_t kStoredChunkTargetBytes = 32 << 10;

}  // namespace pmdex
