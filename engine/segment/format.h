// The layout of a segment file, format version 2, which docs/FORMAT.md describes in words, with an
// example. Numbers are little-endian. Only this file and unit_format.h know byte offsets.
//
// A file begins with the header page of kHeaderPageBytes: the FileHeader,
// SectionEntry[section_count], zeros, and in the last four bytes the CRC32C of all bytes of the
// page before them. The sections follow in the order of the section table. Each begins at a
// multiple of kSectionAlignment, and zeros fill the space between them.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "engine/segment/unit_format.h"
#include "pmem/status.h"

namespace pmdex {

static_assert(std::endian::native == std::endian::little, "segments are read in place");

using DocId = uint32_t;    // local to one segment: 0..doc_count-1
using FieldId = uint16_t;  // local to one segment: index into its field table

inline constexpr uint64_t kSegmentMagic = 0x4745535845444d50;  // "PMDEXSEG"
inline constexpr uint32_t kSegmentVersion = 2;
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
  kBlockBounds = 5,        // BoundPoints[]: those of each block; before each list's its BestPoints
  kFreqOverflow = 6,       // OverflowEntry[]
  kDictionaryEntries = 7,  // DictionaryEntry[]: the buckets of the hash table of frequent terms
  kTermBytes = 8,          // the frequent terms of more than kInlineTermBytes, without gaps
  kTermBlocks = 9,         // all terms in order, front-coded in blocks of kTermsPerBlock
  kTermBlockStarts = 10,   // u64[]: where each term block begins, and the size of kTermBlocks
  kNorms = 11,             // for each field u8[doc_count] length codes, at kNormRowAlignment
  kDocEntries = 12,        // for each document a DocEntry of SegmentMeta::doc_entry_bytes
  kDocIdBytes = 13,        // the ids that do not fit into their DocEntry, without gaps
  kStoredChunks = 14,      // StoredChunk[]: one for each chunk, and a sentinel
  kStoredBytes = 15,       // the chunks, each one zstd frame
  kPageChecksums = 16,     // u32[]: see PageChecksumsBytes
  kRareTermSlots = 17,     // u64[]: the slots of the hash table of rare terms (RareTermSlot)
  kUnitFreqs = 18,         // u8[]: ones, the freq lane of lists whose frequencies are all 1
  kCompressedUnits = 19,   // of compressed segments, instead of kPostings: see unit_format.h
  kUnitPlaces = 20,
  kPositionUnits = 21,  // the same instead of kPositions
  kPositionUnitStarts = 22,
  kIdBlocks = 23,  // the same instead of kDocEntries and kDocIdBytes
  kIdBlockStarts = 24,
  kTermSignatures = 25,  // BlockSignatures[] (term_signature.h); not there in older segments
  kLiveDocs = 32,        // reserved; this version does not define what it holds
  kNumericColumns = 36,  // the values of columns (column_format.h); not there without columns
  kPairs = 37,           // reserved
};
inline constexpr SectionKind kLastKnownSection = SectionKind::kNumericColumns;
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
  uint32_t flags;  // kSegmentHasPositions | kSegmentHasStoredText | kSegmentIsCompressed
  uint64_t reserved[2];
};
static_assert(sizeof(FileHeader) == 64);
static_assert(sizeof(FileHeader) + kMaxSections * sizeof(SectionEntry) + 4 <= kHeaderPageBytes);
// Here is the u32 CRC32C of [0, kHeaderCrcOffset).
inline constexpr size_t kHeaderCrcOffset = kHeaderPageBytes - 4;
inline constexpr uint32_t kSegmentHasPositions = 1, kSegmentHasStoredText = 2;
inline constexpr uint32_t kSegmentIsCompressed = 4;

struct SegmentMeta {
  uint8_t analyzer;         // an AnalyzerKind
  uint8_t doc_entry_bytes;  // from kMinDocEntryBytes to kMaxDocEntryBytes
  uint8_t reserved_bytes[2];
  uint32_t home_bucket_count;  // HomeBucket(hash) is ((hash >> 32) * home_bucket_count) >> 32
  uint64_t hash_seed;
  uint64_t term_count;
  uint64_t posting_count;
  uint64_t token_count;
  uint32_t rare_bucket_count;  // HomeBucket(hash) of a rare term, in buckets of kRareSlotsPerBucket
  uint32_t reserved_word;
  uint64_t reserved[2];
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
  uint64_t term_blocks_begin;  // where these blocks begin in kTermBlocks; 0 for a field without
                               // terms
  uint64_t term_blocks_bytes;  // their size
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
// The size of kPageChecksums for page_count pages of other sections. Requires page_count < 2^60.
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

// For each k of kBestPointCounts a pair of a term frequency and a length code. At least k postings
// of the list have a frequency no less and a length code no greater. (0, 0) if the list has fewer
// than k postings. A tf of 255 means 255 or more.
inline constexpr size_t kBestPointKinds = 4;
inline constexpr uint32_t kBestPointCounts[kBestPointKinds] = {1, 10, 100, 1000};
struct BestPoints {
  uint8_t tf[kBestPointKinds];
  uint8_t length_code[kBestPointKinds];
};
static_assert(sizeof(BestPoints) == sizeof(BoundPoints));  // both are elements of kBlockBounds

// Where the postings of a term are. A term with an inline list is called rare: all that is known of
// it is in its line of kTermBlocks. Other terms are called frequent and have a DictionaryEntry.
enum class Representation : uint8_t {
  kEmpty = 0,                // the bucket is empty: the search for a term ends here
  kInline = 1,               // in the term's line: up to kMaxInlinePostings without escapes
  kInlineWithPositions = 2,  // the same, and their positions are in the line, too
  kLanes = 3,                // in an extent of kPostings, with docids
  kBitset = 4,               // in an extent of kPostings, with bits and ranks (IsBitset)
  kCompressed = 5,           // in an extent of kCompressedUnits, with docids
  kCompressedBitset = 6,     // in an extent of kCompressedUnits, with bits and ranks
};
// True if the postings are in the term's line.
constexpr bool IsInline(Representation representation) {
  return representation == Representation::kInline ||
         representation == Representation::kInlineWithPositions;
}
inline constexpr uint32_t kMaxInlinePostings = 4, kMaxInlinePositions = 4;
inline constexpr size_t kInlineTermBytes = 16;

// The postings of an inline list, as they are held in memory. Unused elements are 0.
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
  uint64_t postings_offset;  // of the extent, from the start of kPostings or kCompressedUnits
  uint64_t position_start;   // as in InlinePostings
  uint32_t block_start;      // the index of its first block in kBlockLastDocs and kBlockBounds, or
                             // kNoBlocks for a list of one block. The element before has the
                             // BestPoints in kBlockBounds, and 0 in kBlockLastDocs
  uint32_t overflow_start;   // the index of its run in kFreqOverflow, or kNoOverflow
  BoundPoints bounds;        // of the whole list
};
inline constexpr uint32_t kNoBlocks = 0xffffffff, kNoOverflow = 0xffffffff;

// A term of one field, in a bucket of the hash table of frequent terms. All bytes of an empty
// bucket are 0. In memory it also holds a rare term, with its inline list and a key of zeros.
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
    LanePostings lanes;      // other representations
  };
};
static_assert(sizeof(InlinePostings) == 32 && sizeof(LanePostings) == 32);
static_assert(sizeof(DictionaryEntry) == 64 && offsetof(DictionaryEntry, inlined) == 32);

// kTermBlocks holds the terms of each field in byte order, in blocks of kTermsPerBlock terms. The
// last block of a field may have fewer. A term has one line (term_line.h):
//   u8 the number of first bytes that it shares with the term before it; 0 in the first of a block
//   u8 the number of the other bytes, and these bytes
//   u8 the form, and what the form says that follows:
//     0 (kLineOfExtent): u32 bucket, u32 df, and in kExtentNumberBytes postings_offset /
//       kExtentUnit, in compressed segments / kUnitExtentUnit
//     otherwise an inline list: df docids of DocIdBytes each, u8 codes[df], u8 freqs[df] if the
//       form has kLineHasFreqs, and the positions
inline constexpr uint32_t kTermsPerBlock = 16;
inline constexpr size_t kTermHeadBytes = 2;  // the first two u8
inline constexpr uint64_t kExtentUnit = 64;  // every ExtentAlignment is a multiple of it
inline constexpr size_t kExtentNumberBytes = 5;
inline constexpr uint64_t kMaxPostingsBytes =
    (uint64_t{1} << (8 * kExtentNumberBytes)) * kExtentUnit;
inline constexpr size_t kPositionStartBytes = 5;

// The size of a docid in a line.
constexpr size_t DocIdBytes(uint32_t doc_count) {
  return doc_count <= uint32_t{1} << 24 ? 3 : 4;
}

// The hash table of frequent terms resolves collisions by linear probing. It has home_bucket_count
// buckets, behind them as many as the last cluster needs, and one empty bucket. A search therefore
// never begins again at the front. Writers choose home_bucket_count as the number of frequent terms
// over this load factor.
inline constexpr double kDictionaryLoadFactor = 2.0 / 3.0;

// The hash table of rare terms has buckets of kRareSlotsPerBucket slots. A term is in the first
// free slot of its home bucket or, if that is full, of the buckets behind it. The used slots of a
// bucket are its first ones, and a search ends at the first slot that is 0. The last bucket has
// one. Writers choose rare_bucket_count so that home buckets have this load.
inline constexpr uint32_t kRareSlotsPerBucket = 8;
inline constexpr double kRareLoadFactor = 0.8;
// A slot says where the line of a term is, and holds a fingerprint, which is never 0: bits of the
// term's hash, by which a search passes most other terms over.
//   bits 0 to 39: where the term's block begins in kTermBlocks
//   bits 40 to 44: the index of the term in its block
//   bits 45 to 63: the fingerprint
using RareTermSlot = uint64_t;
inline constexpr int kRareBlockBits = 40;
inline constexpr int kRareIndexBits = 5;
inline constexpr int kRareFingerprintShift = kRareBlockBits + kRareIndexBits;
inline constexpr uint64_t kMaxTermBlocksBytes = uint64_t{1} << kRareBlockBits;
static_assert(kTermsPerBlock <= 1 << kRareIndexBits);

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
// docids. A list whose frequencies are all 1 has no freqs in its extent (HasUnitFreqs): they are
// the first df bytes of kUnitFreqs. The first lane begins at 0. Group i of `groups` is the number
// of position entries of the list before posting (i + 1) * kPositionGroup.
//
// Lanes begin at multiples of 64 bytes in lists of 64 or more postings, otherwise of 16 bytes: with
// five to eight postings they fill one cache line.
struct PostingExtent {
  uint64_t ranks_offset;  // 0 if the list is no bitset
  uint64_t freqs_offset;  // codes_offset if the list has no freqs here
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
// overflow_start: of its LanePostings. A frequency of 1 escapes if a page mark is before its
// position.
constexpr bool HasUnitFreqs(uint32_t df, uint64_t cf, uint32_t overflow_start) {
  return cf == df && overflow_start == kNoOverflow;
}
// The size of kUnitFreqs. longest: the postings of the longest list that has its freqs there. The
// ones behind them are for vector loads.
constexpr uint64_t UnitFreqsBytes(uint32_t longest) {
  return longest == 0 ? 0 : AlignUp(longest, kLaneTailBytes) + kLaneTailBytes;
}
// unit_freqs: HasUnitFreqs. positions: whether the segment has positions.
constexpr PostingExtent LayOutPostings(uint32_t df, bool unit_freqs, uint32_t doc_count,
                                       bool positions) {
  const uint64_t lane = df >= 64 ? 64 : 16;
  const uint64_t groups = positions ? (uint64_t{df} + kPositionGroup - 1) / kPositionGroup - 1 : 0;
  PostingExtent extent{};
  if (IsBitset(df, doc_count)) {
    extent.ranks_offset = BitsetWords(doc_count) * 8;
    extent.freqs_offset = extent.ranks_offset + AlignUp((BitsetRuns(doc_count) + 1) * 4, lane);
  } else {
    extent.freqs_offset = AlignUp(uint64_t{df} * 4, lane);
  }
  extent.codes_offset = extent.freqs_offset + (unit_freqs ? 0 : AlignUp(df, lane));
  extent.groups_offset = extent.codes_offset + AlignUp(df, lane);
  extent.size_bytes = extent.groups_offset + AlignUp(groups * 4, lane);
  return extent;
}

// Documents.

// An entry of kDocEntries. All entries of a segment have the same size, doc_entry_bytes. The first
// byte is the length of the document's id, and the id follows. If the id does not fit, the first
// byte is kDocIdBeside, and a DocIdPlace follows. All other bytes of the entry are 0.
inline constexpr uint32_t kMinDocEntryBytes = 8;
inline constexpr uint32_t kMaxDocEntryBytes = 128;
inline constexpr uint8_t kDocIdBeside = 0xff;
// u16 the length of the id, then where it begins in kDocIdBytes.
inline constexpr size_t kDocIdOffsetBytes = 5;
inline constexpr size_t kDocIdPlaceBytes = sizeof(uint16_t) + kDocIdOffsetBytes;
inline constexpr uint64_t kMaxDocIdBytes = uint64_t{1} << (8 * kDocIdOffsetBytes);
static_assert(1 + kDocIdPlaceBytes <= kMinDocEntryBytes);
static_assert(kMaxDocEntryBytes <= kDocIdBeside);
// The length of the longest id that fits into an entry of entry_bytes.
constexpr uint32_t DocEntryIdRoom(uint32_t entry_bytes) {
  return entry_bytes - 1;
}

// The field of a stored value that is the record from which the document was read.
inline constexpr FieldId kOriginalRecordField = 0xffff;
// The stored text of consecutive documents, compressed as one zstd frame. Decompressed, it has for
// each document the u32 number of bytes that follow, then for each stored value u16 field, u32 its
// size, and the value. The last StoredChunk of a segment is a sentinel without a frame.
struct StoredChunk {
  uint64_t offset;     // in kStoredBytes; the frame ends where that of the next chunk begins
  uint32_t first_doc;  // doc_count in the sentinel
  uint32_t raw_bytes;  // the size when decompressed; 0 in the sentinel
};
static_assert(sizeof(StoredChunk) == 16);
inline constexpr uint32_t kStoredChunkTargetBytes = 32 << 10;  // a writer ends such a chunk

}  // namespace pmdex
