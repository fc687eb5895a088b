// The layout of what only compressed segments have: units of postings and positions, which
// engine/codec/ reads and writes, and blocks of ids (documents/id_blocks.h). It is a part of the
// format of segments (format.h, which includes this file). All numbers are little-endian.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pmdex {

// A unit holds the postings of one block of a list (kBlockPostings, fewer in the last one), and can
// be read without any other unit. Its header comes first. Behind the header are, without gaps,
//   the gaps of the docids, packed with doc_width bits each; a gap is the number of docids between
//     a posting and the one before. A list whose documents are bits has none.
//   the frequency bytes less 1 (values of a freq lane), packed with freq_width bits
//   the length codes less least_code, packed with code_width bits
//   doc_exceptions places in the unit (u8), then as many gaps (u32)
//   freq_exceptions places in the unit (u8), then as many frequency bytes less 1 (u8)
// Packed values lie one behind the other, the low bits of each first; the last byte has zeros
// behind the last value. An exception replaces the packed value at its place, which is 0. The
// places ascend.
struct UnitHeader {
  uint8_t check[4];   // u32: see UnitCheck
  uint8_t last;       // the number of postings less 1
  uint8_t doc_width;  // 0..kMaxUnitDocWidth or 32
  uint8_t widths;     // freq_width (0..8) in the low four bits, code_width (0..8) in the others
  uint8_t least_code;
  uint8_t exceptions;  // doc_exceptions in the low four bits, freq_exceptions in the others
};
static_assert(sizeof(UnitHeader) == 9 && alignof(UnitHeader) == 1);
inline constexpr uint32_t kUnitPostings = 256;  // at most: those of a block
inline constexpr uint32_t kMaxUnitDocWidth = 24;
inline constexpr uint32_t kMaxUnitExceptions = 15;
// The size of the largest unit of n postings.
constexpr uint64_t MostUnitBytes(uint64_t n) {
  return sizeof(UnitHeader) + n * (sizeof(uint32_t) + 2);
}

// The check of a unit is the CRC32C of all its bytes behind the check, plus the low half of the
// unit's offset in its section, modulo 2^32: a unit of another place does not pass for it.
constexpr uint32_t UnitCheck(uint32_t crc, uint64_t offset) {
  return crc + static_cast<uint32_t>(offset);
}

// A unit of consecutive 16-bit values, in which positions are stored, in a Golomb-Rice code: behind
// the header are the low `width` bits of the values, packed, and then a string of bits that has for
// each value so many zeros as its other bits say, and a one. Zeros fill the last byte.
struct ValueUnitHeader {
  uint8_t check[4];  // as in UnitHeader
  uint8_t last;      // the number of values less 1
  uint8_t width;     // 0..16
};
static_assert(sizeof(ValueUnitHeader) == 6 && alignof(ValueUnitHeader) == 1);
inline constexpr uint32_t kUnitValues = 256;  // of each unit but the last one of the section
// The size of the largest unit that is written: with 16 low bits no value has others.
inline constexpr size_t kMostValueUnitBytes =
    sizeof(ValueUnitHeader) + kUnitValues * sizeof(uint16_t) + kUnitValues / 8;

// A compressed segment has these sections instead of kPostings and kPositions:
//   kCompressedUnits: the extent of each list, and at the end kUnitTailBytes of zeros. An extent is
//     the list's units, one behind the other. In a list of bits these and the ranks come first, as
//     in kPostings.
//   kUnitPlaces: UnitPlace[], with the same indices as kBlockLastDocs
//   kPositionUnits: the entries of kPositions as units of kUnitValues values, one behind the other,
//     and at the end kUnitTailBytes of zeros. A value is an entry if it is the first one of its
//     posting; otherwise it is entry - entry before - 1, modulo 2^16.
//   kPositionUnitStarts: a table of offsets: where each unit begins, and where the last one ends
// Extents follow one another without gaps, but bits begin at a multiple of this.
inline constexpr uint64_t kUnitBitsAlignment = 64;
constexpr uint64_t UnitExtentAlignment(bool has_bits) {
  return has_bits ? kUnitBitsAlignment : 1;
}
inline constexpr uint64_t kUnitTailBytes = 64;  // decoding reads so far behind a unit
inline constexpr uint64_t kUnitExtentUnit = 1;  // as kExtentUnit

// Where a block of a compressed list begins. The element before those of a list has the size of its
// units and the number of its position entries.
struct UnitPlace {
  uint32_t offset;            // of the block's unit, from the first unit of the list
  uint32_t position_entries;  // of the list, before the block
};
static_assert(sizeof(UnitPlace) == 8);

// A compressed segment has these sections instead of kDocEntries and kDocIdBytes:
//   kIdBlocks: the ids of all documents in order, in blocks of kIdsPerBlock. An id is
//     u8 the number of first bytes that it has in common with the id before; 0 in the first of a
//       block
//     u8 the number of the other bytes; or kLongIdRest, and a u16 with this number
//     these bytes
//   kIdBlockStarts: a table of offsets: where each block begins, and the size of kIdBlocks
inline constexpr uint32_t kIdsPerBlock = 8;
inline constexpr uint8_t kLongIdRest = 0xff;
constexpr uint64_t IdBlocksOf(uint32_t doc_count) {
  return (uint64_t{doc_count} + kIdsPerBlock - 1) / kIdsPerBlock;
}

// An offset of a table of offsets (file/offset_table.h) is a u40.
inline constexpr size_t kTableOffsetBytes = 5;
inline constexpr uint64_t kMaxTableOffset = uint64_t{1} << (8 * kTableOffsetBytes);

}  // namespace pmdex
