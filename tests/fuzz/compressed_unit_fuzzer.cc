// Decodes any bytes as units of postings and of values, on every SIMD level. The levels must agree,
// and nothing may be read or written outside of the unit and its slack. What a unit of postings
// decodes to is encoded again and must come back.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "engine/codec/compressed_unit.h"
#include "engine/codec/value_unit.h"
#include "pmem/check.h"

namespace {

struct Decoded {
  std::vector<pmdex::DocId> docids;
  std::vector<uint8_t> freqs, codes;
  bool operator==(const Decoded&) const = default;
};

Decoded Decode(const pmdex::UnitView& unit, const pmdex::UnitKernels& kernels) {
  Decoded decoded{std::vector<pmdex::DocId>(unit.count), std::vector<uint8_t>(unit.count),
                  std::vector<uint8_t>(unit.count)};
  pmdex::DecodeDocids(unit, kernels, decoded.docids.data());
  pmdex::DecodeFreqs(unit, kernels, decoded.freqs.data());
  pmdex::DecodeCodes(unit, kernels, decoded.codes.data());
  return decoded;
}

void EncodeAgain(const Decoded& first, pmdex::DocId before) {
  if (std::count(first.freqs.begin(), first.freqs.end(), 0) != 0) return;  // no frequency
  size_t at = 0;
  while (at < first.freqs.size()) {
    std::array<std::byte, pmdex::kUnitBytes + pmdex::kUnpackSlack> bytes{};
    pmdex::UnitSource source;
    source.docids = std::span(first.docids).subspan(at);
    source.freqs = std::span(first.freqs).subspan(at);
    source.codes = std::span(first.codes).subspan(at);
    source.doc_before = at == 0 ? before : first.docids[at - 1];
    const pmdex::EncodedUnit encoded =
        pmdex::EncodeUnit(source, std::span(bytes).first<pmdex::kUnitBytes>());
    const auto unit = pmdex::ParseUnit(std::span<const std::byte>(bytes).first(encoded.bytes));
    PMDEX_CHECK(unit.has_value() && unit->count == encoded.postings);
    const Decoded again = Decode(*unit, pmdex::BestUnitKernels());
    PMDEX_CHECK(std::equal(again.docids.begin(), again.docids.end(), first.docids.data() + at));
    PMDEX_CHECK(std::equal(again.freqs.begin(), again.freqs.end(), first.freqs.data() + at));
    PMDEX_CHECK(std::equal(again.codes.begin(), again.codes.end(), first.codes.data() + at));
    at += encoded.postings;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  size = std::min(size, pmdex::kUnitBytes);
  const auto bytes = std::make_unique<std::byte[]>(size + pmdex::kUnpackSlack);
  if (size > 0) std::memcpy(bytes.get(), data, size);
  const std::span<const std::byte> unit_bytes(bytes.get(), size);
  if (const auto unit = pmdex::ParseUnit(unit_bytes)) {
    const Decoded decoded = Decode(*unit, pmdex::ScalarUnitKernels());
    for (const pmdex::SimdLevel level : pmdex::UsableSimdLevels()) {
      PMDEX_CHECK(Decode(*unit, pmdex::UnitKernelsOf(level)) == decoded);
    }
    EncodeAgain(decoded, unit->doc_before);
  }
  if (const auto unit = pmdex::ParseValueUnit(unit_bytes)) {
    std::vector<uint16_t> values(unit->count);
    pmdex::DecodeValues(*unit, pmdex::ScalarUnitKernels(), values.data());
    for (const pmdex::SimdLevel level : pmdex::UsableSimdLevels()) {
      std::vector<uint16_t> other(unit->count);
      pmdex::DecodeValues(*unit, pmdex::UnitKernelsOf(level), other.data());
      PMDEX_CHECK(other == values);
    }
  }
  return 0;
}
