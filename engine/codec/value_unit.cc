#include "engine/codec/value_unit.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "engine/codec/bit_packer.h"
#include "engine/codec/width_choice.h"
#include "pmem/checksum.h"

namespace pmdex {
namespace {

constexpr size_t kExceptionBytes = 1 + sizeof(uint16_t);

struct ValueUnitSize {
  WidthCounts widths;
  uint32_t count = 0;

  WidthChoice Choice() const { return widths.Best(16, kExceptionBytes, false); }
  size_t Bytes() const { return sizeof(ValueUnitHeader) + Choice().bytes; }
};

ValueUnitSize FillUnit(std::span<const uint16_t> values) {
  const auto left = static_cast<uint32_t>(std::min<size_t>(values.size(), kUnitPostings));
  ValueUnitSize size;
  for (uint32_t step = 64; step > 0;) {
    ValueUnitSize larger = size;
    const uint32_t end = size.count + std::min(step, left - size.count);
    for (; larger.count < end; ++larger.count) larger.widths.Add(values[larger.count]);
    if (larger.Bytes() <= kUnitBytes) {
      size = larger;
      if (size.count == left) return size;
    } else {
      step /= 2;
    }
  }
  return size;
}

}  // namespace

EncodedUnit EncodeValueUnit(std::span<const uint16_t> values, uint32_t first_value,
                            std::span<std::byte, kUnitBytes> out) {
  const ValueUnitSize size = FillUnit(values);
  const WidthChoice choice = size.Choice();
  std::array<std::byte, kUnitBytes + BitPacker::kSlack> bytes{};
  ValueUnitHeader header{};
  header.first_value = first_value;
  header.last = static_cast<uint8_t>(size.count - 1);
  header.width = static_cast<uint8_t>(choice.width);
  header.exceptions = static_cast<uint8_t>(choice.exceptions);
  UnitExceptions<uint16_t> wide;
  std::byte* const end = PackValues(
      size.count, choice.width, [&](uint32_t i) { return uint32_t{values[i]}; },
      bytes.data() + sizeof(header), wide);
  wide.Write(end);
  std::memcpy(out.data(), bytes.data(), out.size());
  EncodedUnit unit{size.count, kUnitBytes};
  if (size.count == values.size()) unit.bytes = AlignUp(size.Bytes(), kUnitAlignment);
  std::memcpy(out.data(), &header, sizeof(header));
  header.check = Crc32c(out.first(unit.bytes).subspan(sizeof(header.check)));
  std::memcpy(out.data(), &header.check, sizeof(header.check));
  return unit;
}

std::optional<ValueUnitView> ParseValueUnit(std::span<const std::byte> unit) {
  if (unit.size() < sizeof(ValueUnitHeader)) return std::nullopt;
  ValueUnitHeader header;
  std::memcpy(&header, unit.data(), sizeof(header));
  if (header.width > 16 || header.exceptions > kMaxUnitExceptions) return std::nullopt;
  ValueUnitView view;
  view.first_value = header.first_value;
  view.count = header.last + 1u;
  view.width = header.width;
  view.exceptions = header.exceptions;
  const auto* const start = reinterpret_cast<const uint8_t*>(unit.data());
  view.packed = start + sizeof(header);
  view.places = view.packed + PackedBytes(view.count, view.width);
  view.bytes = static_cast<size_t>(view.places - start) + view.exceptions * kExceptionBytes;
  if (view.bytes > std::min(unit.size(), kUnitBytes)) return std::nullopt;
  return view;
}

void DecodeValues(const ValueUnitView& unit, const UnitKernels& kernels, uint16_t* out) {
  kernels.unpack_words(unit.packed, unit.width, unit.count, out);
  const uint8_t* const values = unit.places + unit.exceptions;
  for (uint32_t i = 0; i < unit.exceptions; ++i) {
    const uint32_t place = unit.places[i];
    if (place < unit.count) std::memcpy(out + place, values + i * 2, sizeof(uint16_t));
  }
}

}  // namespace pmdex
