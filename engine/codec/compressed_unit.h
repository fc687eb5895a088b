// Encodes the postings of a block as a unit and decodes it (UnitHeader in unit_format.h).
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

namespace pmdex {

// The postings of a block, at most kUnitPostings and at least one.
struct UnitSource {
  std::span<const DocId> docids;   // ascending; empty for a list whose documents are bits
  std::span<const uint8_t> freqs;  // 1..255
  std::span<const uint8_t> codes;
  DocId doc_before = 0xffffffff;
};

inline constexpr size_t kMostUnitBytes = MostUnitBytes(kUnitPostings);

// Writes a unit. offset: of the unit in its section. Returns its size.
size_t EncodeUnit(const UnitSource& source, uint64_t offset,
                  std::span<std::byte, kMostUnitBytes> out);

// A unit whose header was checked.
struct UnitView {
  uint32_t count = 0;  // 1..kUnitPostings
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
  size_t bytes = 0;  // of the unit
};

// bytes: from the unit's start on. nullopt if no unit lies in them. The Decode functions may read
// kUnpackSlack bytes behind the unit.
std::optional<UnitView> ParseUnit(std::span<const std::byte> bytes);

// Write unit.count elements. doc_before: the docid of the posting before, 0xffffffff for the first
// of a list.
void DecodeDocids(const UnitView& unit, DocId doc_before, const UnitKernels& kernels, DocId* out);
void DecodeFreqs(const UnitView& unit, const UnitKernels& kernels, uint8_t* out);
void DecodeCodes(const UnitView& unit, const UnitKernels& kernels, uint8_t* out);

}  // namespace pmdex
