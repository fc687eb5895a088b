#include "engine/codec/compressed_unit.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "engine/codec/bit_packer.h"
#include "engine/codec/unit_check.h"
#include "engine/codec/width_choice.h"

namespace pmdex {
namespace {

constexpr size_t kDocExceptionBytes = 1 + sizeof(uint32_t);
constexpr size_t kFreqExceptionBytes = 2;
constexpr uint8_t kLowBits = 0x0f;

// Packs the values, and appends those that become exceptions. Returns the place behind the packed
// ones.
template <typename E, typename T>
std::byte* PackLane(std::span<const T> values, const WidthChoice& choice, std::byte* out,
                    UnitExceptions<E>& exceptions) {
  if (choice.exceptions != 0) return PackValues(values, choice.width, out, exceptions);
  return PackAll(values, choice.width, out);
}

// The values of a block as they are packed.
struct UnitValues {
  explicit UnitValues(const UnitSource& source) : count(source.freqs.size()) {
    for (size_t i = 0; i < count; ++i) freqs[i] = static_cast<uint8_t>(source.freqs[i] - 1);
    DocId before = source.doc_before;
    for (size_t i = 0; i < source.docids.size(); ++i) {
      gaps[i] = source.docids[i] - before - 1;
      before = source.docids[i];
    }
    has_docs = !source.docids.empty();
    const auto [least, greatest] = std::minmax_element(source.codes.begin(), source.codes.end());
    least_code = *least;
    code_width = static_cast<uint32_t>(std::bit_width(static_cast<uint32_t>(*greatest - *least)));
    for (size_t i = 0; i < count; ++i) {
      codes[i] = static_cast<uint8_t>(source.codes[i] - least_code);
    }
  }

  size_t count;
  bool has_docs = false;
  uint8_t least_code = 0;
  uint32_t code_width = 0;
  std::array<uint32_t, kUnitPostings> gaps;
  std::array<uint8_t, kUnitPostings> freqs;
  std::array<uint8_t, kUnitPostings> codes;
};

template <typename T>
WidthChoice BestWidth(std::span<const T> values, uint32_t most, size_t exception_bytes,
                      bool may_be_32) {
  WidthCounts counts;
  for (const T value : values) counts.Add(value);
  return counts.Best(most, exception_bytes, may_be_32);
}

bool IsDocWidth(uint32_t width) {
  return width <= kMaxUnitDocWidth || width == 32;
}

}  // namespace

size_t EncodeUnit(const UnitSource& source, uint64_t offset,
                  std::span<std::byte, kMostUnitBytes> out) {
  const UnitValues values(source);
  const auto gaps = std::span(values.gaps).first(values.has_docs ? values.count : 0);
  const auto freqs = std::span(values.freqs).first(values.count);
  const auto codes = std::span(values.codes).first(values.count);
  WidthChoice docs;
  if (values.has_docs) docs = BestWidth(gaps, kMaxUnitDocWidth, kDocExceptionBytes, true);
  const WidthChoice freq = BestWidth(freqs, 8, kFreqExceptionBytes, false);
  UnitHeader header{};
  header.last = static_cast<uint8_t>(values.count - 1);
  header.doc_width = static_cast<uint8_t>(docs.width);
  header.widths = static_cast<uint8_t>(freq.width | values.code_width << 4);
  header.least_code = values.least_code;
  header.exceptions = static_cast<uint8_t>(docs.exceptions | freq.exceptions << 4);
  std::array<std::byte, kMostUnitBytes + BitPacker::kSlack> bytes;
  std::memcpy(bytes.data(), &header, sizeof(header));
  UnitExceptions<uint32_t> wide_gaps;
  UnitExceptions<uint8_t> wide_freqs;
  std::byte* at = PackLane(gaps, docs, bytes.data() + sizeof(header), wide_gaps);
  at = PackLane(freqs, freq, at, wide_freqs);
  at = PackLane(codes, {values.code_width, 0, 0}, at, wide_freqs);
  // Behind all packed values, because these are stored with some bytes more.
  at = wide_freqs.Write(wide_gaps.Write(at));
  const auto size = static_cast<size_t>(at - bytes.data());
  std::copy_n(bytes.begin(), size, out.begin());
  SetCheck(out.first(size), offset);
  return size;
}

std::optional<UnitView> ParseUnit(std::span<const std::byte> bytes) {
  if (bytes.size() < sizeof(UnitHeader)) return std::nullopt;
  UnitHeader header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  UnitView view;
  view.count = header.last + 1u;
  view.doc_width = header.doc_width;
  view.freq_width = header.widths & kLowBits;
  view.code_width = header.widths >> 4;
  view.least_code = header.least_code;
  view.doc_exceptions = header.exceptions & kLowBits;
  view.freq_exceptions = header.exceptions >> 4;
  if (!IsDocWidth(view.doc_width) || view.freq_width > 8 || view.code_width > 8) {
    return std::nullopt;
  }
  const auto* const start = reinterpret_cast<const uint8_t*>(bytes.data());
  view.docs = start + sizeof(UnitHeader);
  view.freqs = view.docs + PackedBytes(view.count, view.doc_width);
  view.codes = view.freqs + PackedBytes(view.count, view.freq_width);
  view.doc_places = view.codes + PackedBytes(view.count, view.code_width);
  view.freq_places = view.doc_places + view.doc_exceptions * kDocExceptionBytes;
  view.bytes =
      static_cast<size_t>(view.freq_places - start) + view.freq_exceptions * kFreqExceptionBytes;
  if (view.bytes > bytes.size()) return std::nullopt;
  return view;
}

void DecodeDocids(const UnitView& unit, DocId doc_before, const UnitKernels& kernels, DocId* out) {
  if (unit.doc_exceptions == 0) [[likely]] {
    return kernels.docids(unit.docs, unit.doc_width, unit.count, doc_before, out);
  }
  kernels.unpack(unit.docs, unit.doc_width, unit.count, out);
  const uint8_t* const values = unit.doc_places + unit.doc_exceptions;
  for (uint32_t i = 0; i < unit.doc_exceptions; ++i) {
    const uint32_t place = unit.doc_places[i];
    if (place < unit.count) std::memcpy(out + place, values + i * sizeof(DocId), sizeof(DocId));
  }
  kernels.add_up(unit.count, doc_before, out);
}

void DecodeFreqs(const UnitView& unit, const UnitKernels& kernels, uint8_t* out) {
  kernels.unpack_bytes(unit.freqs, unit.freq_width, unit.count, 1, out);
  const uint8_t* const values = unit.freq_places + unit.freq_exceptions;
  for (uint32_t i = 0; i < unit.freq_exceptions; ++i) {
    const uint32_t place = unit.freq_places[i];
    if (place < unit.count) out[place] = static_cast<uint8_t>(values[i] + 1);
  }
}

void DecodeCodes(const UnitView& unit, const UnitKernels& kernels, uint8_t* out) {
  kernels.unpack_bytes(unit.codes, unit.code_width, unit.count, unit.least_code, out);
}

}  // namespace pmdex
