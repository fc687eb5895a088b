// The layout of the units of compressed lists, a part of the format of segments (format.h, which
// includes this file). engine/codec/ reads and writes units. All numbers are little-endian.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pmdex {

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
inline constexpr size_t kUnitAlignment = 16;    // the last unit of a list ends at a multiple of it
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

// A compressed segment has these sections instead of kPostings and kPositions:
//   kCompressedUnits: the extent of each list, and at the end kUnitTailBytes of zeros. An extent is
//     the list's units. In a list of bits these and the ranks come first, as in kPostings, then
//     zeros up to a multiple of kUnitBytes.
//   kUnitPlaces: UnitPlace[], with the same indices as kBlockLastDocs
//   kPositionUnits: the entries of kPositions as units of values, and at the end kUnitTailBytes of
//     zeros. A value is an entry if it is the first one of its posting or of its unit; otherwise it
//     is entry - entry before - 1, modulo 2^16.
//   kPositionUnitStarts: u32[]: the unit of each kUnitPostings-th entry
// Extents begin at multiples of this: lists of one block are packed.
constexpr uint64_t UnitExtentAlignment(bool has_blocks) {
  return has_blocks ? kUnitBytes : kUnitAlignment;
}
inline constexpr uint64_t kUnitTailBytes = 64;  // decoding reads so far behind a unit

// Where a block of a compressed list begins. The element before those of a list has the number of
// its units and of its position entries.
struct UnitPlace {
  uint32_t unit;              // that has the block's first posting, counted from the list's first
  uint32_t position_entries;  // of the list, before the block
};
static_assert(sizeof(UnitPlace) == 8);

}  // namespace pmdex
