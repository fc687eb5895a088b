// Encodes postings as units of kUnitBytes and decodes them (UnitHeader in format.h). A unit is read
// without any other unit: its header says which postings it has.
//
// Encoding trusts its input. Decoding trusts nothing: ParseUnit checks that all that the header
// promises lies inside the unit, and the Decode functions write exactly `count` elements whatever
// the bytes are. The bytes may change while they are read. Pure functions; thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "engine/codec/unit_kernels.h"
#include "engine/segment/format.h"
#include "pmem/status.h"

namespace pmdex {

// The postings of a list from one posting to its end.
struct UnitSource {
  std::span<const DocId> docids;   // ascending; empty for a list whose documents are bits
  std::span<const uint8_t> freqs;  // 1..255
  std::span<const uint8_t> codes;
  uint32_t first_posting = 0;  // the index of the first of them in the list
  DocId doc_before = 0xffffffff;
};

struct EncodedUnit {
  uint32_t postings = 0;
  size_t bytes = 0;  // kUnitBytes, or less if the source ends here: a multiple of kUnitAlignment
};

// Writes one unit with as many postings of the source as fit. Requires at least one posting.
EncodedUnit EncodeUnit(const UnitSource& source, std::span<std::byte, kUnitBytes> out);

// A unit whose header was checked.
struct UnitView {
  uint32_t first_posting = 0;
  uint32_t count = 0;  // 1..kUnitPostings
  DocId doc_before = 0;
  uint8_t doc_width = 0;
  uint8_t freq_width = 0;
  uint8_t code_width = 0;
  uint8_t least_code = 0;
  uint8_t doc_exceptions = 0;
  uint8_t freq_exceptions = 0;
  const uint8_t* docs = nullptr;
  const uint8_t* freqs = nullptr;
  const uint8_t* codes = nullptr;
  const uint8_t* doc_places = nullptr;
  const uint8_t* freq_places = nullptr;
  size_t bytes = 0;  // to the end of the last exception
};

// unit: the bytes from its start on, as many as there are up to kUnitBytes. nullopt if they cannot
// be a unit. The Decode functions may read kUnpackSlack bytes behind the unit.
std::optional<UnitView> ParseUnit(std::span<const std::byte> unit);
// The size of a parsed unit of a list of df postings: the last unit of a list is cut off.
inline size_t SizeOfUnit(const UnitView& unit, uint32_t df) {
  const bool is_last = uint64_t{unit.first_posting} + unit.count == df;
  return is_last ? AlignUp(unit.bytes, kUnitAlignment) : kUnitBytes;
}
// True if the check in the header is that of the unit. unit: all its bytes.
bool HasRightCheck(std::span<const std::byte> unit);

// Write unit.count elements.
void DecodeDocids(const UnitView& unit, const UnitKernels& kernels, DocId* out);
void DecodeFreqs(const UnitView& unit, const UnitKernels& kernels, uint8_t* out);
void DecodeCodes(const UnitView& unit, const UnitKernels& kernels, uint8_t* out);

}  // namespace pmdex
