// Reads and writes the line of a term in kTermBlocks: its bytes, front-coded, and behind them
// either its whole inline list or where its entry and its documents are. A look-up of a rare term
// reads its line and nothing else. A prefix or wildcard needs the documents of many terms and reads
// only their lines, which lie side by side. Pure; thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/segment/format.h"

namespace pmdex {

// The form of a line. The lowest three bits are the df of an inline list.
inline constexpr uint8_t kLineOfExtent = 0;
inline constexpr uint8_t kLineDfMask = 7;
// Without this bit all frequencies are 1.
inline constexpr uint8_t kLineHasFreqs = 8;
// Where the positions of an inline list are.
inline constexpr uint8_t kLinePositionsMask = 0x30;
inline constexpr uint8_t kLineNoPositions = 0;       // the segment has none
inline constexpr uint8_t kLineBytePositions = 0x10;  // here, as u8[cf]
inline constexpr uint8_t kLineWordPositions = 0x20;  // here, as u16[cf]: one is 256 or more
inline constexpr uint8_t kLinePositionStart = 0x30;  // in kPositions, from this index on
// With positions in the line the two highest bits are cf - 1, otherwise 0.
inline constexpr int kLineCfShift = 6;

// True if the postings are in an extent of kCompressedUnits.
constexpr bool IsCompressed(Representation representation) {
  return representation == Representation::kCompressed ||
         representation == Representation::kCompressedBitset;
}

// What all lines of a segment have in common.
struct LineFormat {
  size_t docid_bytes = 4;              // DocIdBytes
  uint64_t extent_unit = kExtentUnit;  // kUnitExtentUnit in a compressed segment
};

// Where the documents of a term are.
struct DocumentsPlace {
  uint32_t df = 0;
  bool is_inline = false;
  std::array<DocId, kMaxInlinePostings> docids{};  // of an inline list: df docids
  uint64_t postings_offset = 0;                    // of another list: its extent
};

// One line. Its parts are only as long as the line was checked to be; their values are not checked.
struct TermLine {
  size_t size_bytes = 0;  // of the line; 0 if the bytes are no line
  size_t shared = 0;      // first bytes that the term has in common with the one before
  size_t suffix_bytes = 0;
  const std::byte* suffix = nullptr;
  uint8_t form = 0;                 // read once, because mapped bytes may turn to zeros at any time
  const std::byte* rest = nullptr;  // what the form says that follows it

  bool is_inline() const { return (form & kLineDfMask) != 0; }
};

// The longest line: a term of 255 bytes with the longest of all rests.
inline constexpr size_t kMaxLineRestBytes =
    1 + kMaxInlinePostings * (sizeof(DocId) + 2) + kMaxInlinePositions * sizeof(uint16_t);
inline constexpr size_t kMaxLineBytes = kTermHeadBytes + 255 + kMaxLineRestBytes;

// The line at the front of `bytes`, behind a term of before_bytes. Its size_bytes is 0 if the bytes
// are no line, or do not have all of one.
TermLine ReadTermLine(std::span<const std::byte> bytes, size_t before_bytes, LineFormat format);

// Requires a line that is inline. The result has a key, field and term_bytes of 0.
DictionaryEntry InlineEntry(const TermLine& line, LineFormat format);
// The number of the bucket of its entry. Requires a line that is not inline.
uint32_t BucketOf(const TermLine& line);
// The values of the result are not checked.
DocumentsPlace DocumentsOf(const TermLine& line, LineFormat format);

// Write what follows the bytes of a term to `out`, and return its size. They require room for
// kMaxLineRestBytes. has_positions: of the segment.
size_t WriteInlineRest(const DictionaryEntry& entry, LineFormat format, bool has_positions,
                       std::byte* out);
size_t WriteExtentRest(const DictionaryEntry& entry, uint32_t bucket, std::byte* out);
inline constexpr size_t kExtentRestBytes = 1 + 2 * sizeof(uint32_t) + kExtentNumberBytes;

}  // namespace pmdex
