#include "engine/codec/compressed_unit.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "engine/codec/bit_packer.h"
#include "engine/codec/width_choice.h"
#include "pmem/checksum.h"

namespace pmdex {
namespace {

constexpr size_t kDocExceptionBytes = 1 + sizeof(uint32_t);
constexpr size_t kFreqExceptionBytes = 2;

uint32_t GapAt(const UnitSource& source, size_t i) {
  const DocId before = i == 0 ? source.doc_before : source.docids[i - 1];
  return source.docids[i] - before - 1;
}

// What the first postings of a source take.
struct UnitSize {
  WidthCounts docs;
  WidthCounts freqs;
  uint8_t least_code = 255;
  uint8_t greatest_code = 0;
  uint32_t count = 0;

  void Add(const UnitSource& source, uint32_t more) {
    for (const uint32_t end = count + more; count < end; ++count) {
      if (!source.docids.empty()) docs.Add(GapAt(source, count));
      freqs.Add(source.freqs[count] - 1u);
      least_code = std::min(least_code, source.codes[count]);
      greatest_code = std::max(greatest_code, source.codes[count]);
    }
  }
  WidthChoice Docs() const { return docs.Best(kMaxUnitDocWidth, kDocExceptionBytes, true); }
  WidthChoice Freqs() const { return freqs.Best(8, kFreqExceptionBytes, false); }
  uint32_t CodeWidth() const {
    return static_cast<uint32_t>(std::bit_width(static_cast<uint32_t>(greatest_code - least_code)));
  }
  size_t Bytes() const {
    return sizeof(UnitHeader) + Docs().bytes + Freqs().bytes + PackedBytes(count, CodeWidth());
  }
};

// Adds postings in smaller and smaller steps as long as they fit.
UnitSize FillUnit(const UnitSource& source) {
  const auto left = static_cast<uint32_t>(std::min<size_t>(source.freqs.size(), kUnitPostings));
  UnitSize size;
  for (uint32_t step = 32; step > 0;) {
    UnitSize larger = size;
    larger.Add(source, std::min(step, left - size.count));
    if (larger.Bytes() <= kUnitBytes) {
      size = larger;
      if (size.count == left) return size;
    } else {
      step /= 2;
    }
  }
  return size;
}

bool IsDocWidth(uint8_t width) {
  return width <= kMaxUnitDocWidth || width == 32;
}

}  // namespace

EncodedUnit EncodeUnit(const UnitSource& source, std::span<std::byte, kUnitBytes> out) {
  const UnitSize size = FillUnit(source);
  const bool has_docs = !source.docids.empty();
  const WidthChoice docs = has_docs ? size.Docs() : WidthChoice();
  const WidthChoice freqs = size.Freqs();
  const uint32_t code_width = size.CodeWidth();
  std::array<std::byte, kUnitBytes + BitPacker::kSlack> bytes{};
  UnitHeader header{};
  header.first_posting = source.first_posting;
  header.doc_before = has_docs ? source.doc_before : 0;
  header.last = static_cast<uint8_t>(size.count - 1);
  header.doc_width = static_cast<uint8_t>(docs.width);
  header.freq_width = static_cast<uint8_t>(freqs.width);
  header.code_width = static_cast<uint8_t>(code_width);
  header.least_code = size.least_code;
  header.doc_exceptions = static_cast<uint8_t>(docs.exceptions);
  header.freq_exceptions = static_cast<uint8_t>(freqs.exceptions);
  UnitExceptions<uint32_t> wide_gaps;
  UnitExceptions<uint8_t> wide_freqs;
  std::byte* at = bytes.data() + sizeof(UnitHeader);
  if (has_docs) {
    at = PackValues(
        size.count, docs.width, [&](uint32_t i) { return GapAt(source, i); }, at, wide_gaps);
  }
  at = PackValues(
      size.count, freqs.width, [&](uint32_t i) { return source.freqs[i] - 1u; }, at, wide_freqs);
  BitPacker codes(at);
  for (uint32_t i = 0; i < size.count; ++i) {
    codes.Add(static_cast<uint32_t>(source.codes[i] - size.least_code), code_width);
  }
  // Behind all packed values, because these are stored with some bytes more.
  wide_freqs.Write(wide_gaps.Write(codes.Finish()));
  std::memcpy(out.data(), bytes.data(), out.size());
  EncodedUnit unit{size.count, kUnitBytes};
  if (size.count == source.freqs.size()) unit.bytes = AlignUp(size.Bytes(), kUnitAlignment);
  std::memcpy(out.data(), &header, sizeof(header));
  header.check = Crc32c(out.first(unit.bytes).subspan(sizeof(header.check)));
  std::memcpy(out.data(), &header.check, sizeof(header.check));
  return unit;
}

std::optional<UnitView> ParseUnit(std::span<const std::byte> unit) {
  if (unit.size() < sizeof(UnitHeader)) return std::nullopt;
  UnitHeader header;
  std::memcpy(&header, unit.data(), sizeof(header));
  if (!IsDocWidth(header.doc_width) || header.freq_width > 8 || header.code_width > 8 ||
      header.doc_exceptions > kMaxUnitExceptions || header.freq_exceptions > kMaxUnitExceptions) {
    return std::nullopt;
  }
  UnitView view;
  view.first_posting = header.first_posting;
  view.count = header.last + 1u;
  view.doc_before = header.doc_before;
  view.doc_width = header.doc_width;
  view.freq_width = header.freq_width;
  view.code_width = header.code_width;
  view.least_code = header.least_code;
  view.doc_exceptions = header.doc_exceptions;
  view.freq_exceptions = header.freq_exceptions;
  const auto* const start = reinterpret_cast<const uint8_t*>(unit.data());
  view.docs = start + sizeof(UnitHeader);
  view.freqs = view.docs + PackedBytes(view.count, view.doc_width);
  view.codes = view.freqs + PackedBytes(view.count, view.freq_width);
  view.doc_places = view.codes + PackedBytes(view.count, view.code_width);
  view.freq_places = view.doc_places + view.doc_exceptions * kDocExceptionBytes;
  view.bytes =
      static_cast<size_t>(view.freq_places - start) + view.freq_exceptions * kFreqExceptionBytes;
  if (view.bytes > std::min(unit.size(), kUnitBytes)) return std::nullopt;
  return view;
}

bool HasRightCheck(std::span<const std::byte> unit) {
  uint32_t check = 0;
  if (unit.size() < sizeof(check)) return false;
  std::memcpy(&check, unit.data(), sizeof(check));
  return check == Crc32c(unit.subspan(sizeof(check)));
}

void DecodeDocids(const UnitView& unit, const UnitKernels& kernels, DocId* out) {
  if (unit.doc_exceptions == 0) [[likely]] {
    return kernels.docids(unit.docs, unit.doc_width, unit.count, unit.doc_before, out);
  }
  kernels.unpack(unit.docs, unit.doc_width, unit.count, out);
  const uint8_t* const values = unit.doc_places + unit.doc_exceptions;
  for (uint32_t i = 0; i < unit.doc_exceptions; ++i) {
    const uint32_t place = unit.doc_places[i];
    if (place < unit.count) std::memcpy(out + place, values + i * sizeof(DocId), sizeof(DocId));
  }
  kernels.add_up(unit.count, unit.doc_before, out);
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
