// Decodes any bytes as units of postings, and of values, on every SIMD level. The levels must
// agree, and nothing may be read or written outside of the unit and its slack. What a unit of
// postings decodes to is encoded again and must come back.
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

constexpr pmdex::DocId kBefore = 0xffffffff;

struct Decoded {
  std::vector<pmdex::DocId> docids;
  std::vector<uint8_t> freqs, codes;
  bool operator==(const Decoded&) const = default;
};

Decoded Decode(const pmdex::UnitView& unit, const pmdex::UnitKernels& kernels) {
  Decoded decoded{std::vector<pmdex::DocId>(unit.count), std::vector<uint8_t>(unit.count),
                  std::vector<uint8_t>(unit.count)};
  pmdex::DecodeDocids(unit, kBefore, kernels, decoded.docids.data());
  pmdex::DecodeFreqs(unit, kernels, decoded.freqs.data());
  pmdex::DecodeCodes(unit, kernels, decoded.codes.data());
  return decoded;
}

void EncodeAgain(const Decoded& first) {
  if (std::count(first.freqs.begin(), first.freqs.end(), 0) != 0) return;  // no frequency
  const pmdex::UnitSource source{first.docids, first.freqs, first.codes, kBefore};
  std::array<std::byte, pmdex::kMostUnitBytes + pmdex::kUnpackSlack> bytes{};
  const size_t size = pmdex::EncodeUnit(source, 0, std::span(bytes).first<pmdex::kMostUnitBytes>());
  const auto unit = pmdex::ParseUnit(std::span<const std::byte>(bytes).first(size));
  PMDEX_CHECK(unit.has_value() && unit->count == first.freqs.size());
  PMDEX_CHECK(Decode(*unit, pmdex::BestUnitKernels()) == first);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  size = std::min(size, pmdex::kMostUnitBytes);
  const auto bytes = std::make_unique<std::byte[]>(size + pmdex::kUnpackSlack);
  if (size > 0) std::memcpy(bytes.get(), data, size);
  const std::span<const std::byte> unit_bytes(bytes.get(), size);
  if (const auto unit = pmdex::ParseUnit(unit_bytes)) {
    const Decoded decoded = Decode(*unit, pmdex::ScalarUnitKernels());
    for (const pmdex::SimdLevel level : pmdex::UsableSimdLevels()) {
      PMDEX_CHECK(Decode(*unit, pmdex::UnitKernelsOf(level)) == decoded);
    }
    EncodeAgain(decoded);
  }
  if (const auto unit = pmdex::ParseValueUnit(unit_bytes)) {
    pmdex::UnitValueArray values;
    const bool has_all =
        pmdex::DecodeValues(*unit, unit->count, pmdex::ScalarUnitKernels(), values);
    for (const pmdex::SimdLevel level : pmdex::UsableSimdLevels()) {
      pmdex::UnitValueArray other;
      const auto& kernels = pmdex::UnitKernelsOf(level);
      PMDEX_CHECK(pmdex::DecodeValues(*unit, unit->count, kernels, other) == has_all);
      PMDEX_CHECK(!has_all ||
                  std::equal(other.begin(), other.begin() + unit->count, values.begin()));
    }
  }
  return 0;
}
