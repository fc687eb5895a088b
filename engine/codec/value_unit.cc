#include "engine/codec/value_unit.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "engine/codec/bit_packer.h"
#include "engine/codec/unit_check.h"

namespace pmdex {
namespace {

// The bits that values take with `width` low bits.
size_t BitsOf(std::span<const uint16_t> values, uint32_t width) {
  uint32_t high = 0;
  for (const uint16_t value : values) high += value >> width;
  return values.size() * (width + 1) + high;
}

// The width that takes the fewest bits. With more low bits a value takes one bit more, and with
// fewer its high part doubles, so that the first width that is no better than the one below it, or
// above it, is the best. The search begins near the logarithm of the mean.
uint32_t BestWidth(std::span<const uint16_t> values) {
  uint32_t sum = 0;
  for (const uint16_t value : values) sum += value;
  const auto mean = static_cast<uint32_t>(sum / values.size());
  uint32_t width = mean == 0 ? 0 : static_cast<uint32_t>(std::bit_width(mean)) - 1;
  size_t bits = BitsOf(values, width);
  for (const int step : {-1, 1}) {
    while (width + static_cast<uint32_t>(step) <= 16) {
      const size_t next = BitsOf(values, width + static_cast<uint32_t>(step));
      if (next >= bits) break;
      width += static_cast<uint32_t>(step);
      bits = next;
    }
  }
  return width;
}

// Writes the string of zeros and ones, that of four values at once where it is short. Returns the
// place behind it.
std::byte* PackHigh(std::span<const uint16_t> values, uint32_t width, std::byte* out) {
  BitPacker packer(out);
  size_t i = 0;
  const auto add = [&](uint32_t zeros) {
    for (; zeros >= 32; zeros -= 32) packer.Add(0, 32);
    packer.Add(uint64_t{1} << zeros, zeros + 1);
  };
  for (; i + 4 <= values.size(); i += 4) {
    const uint32_t zeros[] = {uint32_t{values[i]} >> width, uint32_t{values[i + 1]} >> width,
                              uint32_t{values[i + 2]} >> width, uint32_t{values[i + 3]} >> width};
    if (zeros[0] + zeros[1] + zeros[2] + zeros[3] + 4 > BitPacker::kMostBits) [[unlikely]] {
      for (const uint32_t of_one : zeros) add(of_one);
      continue;
    }
    uint64_t ones = 0;
    uint32_t place = 0;
    for (const uint32_t of_one : zeros) {
      place += of_one;
      ones |= uint64_t{1} << place;
      ++place;
    }
    packer.Add(ones, place);
  }
  for (; i < values.size(); ++i) add(uint32_t{values[i]} >> width);
  return packer.Finish();
}

}  // namespace

size_t EncodeValueUnit(std::span<const uint16_t> values, uint64_t offset,
                       std::span<std::byte, kMostValueUnitBytes> out) {
  const uint32_t width = BestWidth(values);
  ValueUnitHeader header{};
  header.last = static_cast<uint8_t>(values.size() - 1);
  header.width = static_cast<uint8_t>(width);
  std::array<std::byte, kMostValueUnitBytes + BitPacker::kSlack> bytes;
  std::memcpy(bytes.data(), &header, sizeof(header));
  std::array<uint16_t, kUnitValues> low;
  const auto mask = static_cast<uint16_t>((uint32_t{1} << width) - 1);
  for (size_t i = 0; i < values.size(); ++i) low[i] = values[i] & mask;
  std::byte* const high = PackAll(std::span<const uint16_t>(low).first(values.size()), width,
                                  bytes.data() + sizeof(header));
  const auto size = static_cast<size_t>(PackHigh(values, width, high) - bytes.data());
  std::copy_n(bytes.begin(), size, out.begin());
  SetCheck(out.first(size), offset);
  return size;
}

std::optional<ValueUnitView> ParseValueUnit(std::span<const std::byte> unit) {
  if (unit.size() < sizeof(ValueUnitHeader) || unit.size() > kMostValueUnitBytes) {
    return std::nullopt;
  }
  ValueUnitHeader header;
  std::memcpy(&header, unit.data(), sizeof(header));
  if (header.width > 16) return std::nullopt;
  ValueUnitView view;
  view.count = header.last + 1u;
  view.width = header.width;
  view.low = reinterpret_cast<const uint8_t*>(unit.data()) + sizeof(header);
  const size_t low_bytes = PackedBytes(view.count, view.width);
  if (low_bytes >= unit.size() - sizeof(header)) return std::nullopt;
  view.high = view.low + low_bytes;
  view.high_bytes = unit.size() - sizeof(header) - low_bytes;
  return view;
}

bool DecodeValues(const ValueUnitView& unit, uint32_t n, const UnitKernels& kernels,
                  UnitValueArray& out) {
  // The place of the one of each value, behind one that stands for the value before the first.
  std::array<uint16_t, 1 + kUnitValues + 64> places;
  places[0] = 0xffff;
  if (kernels.find_ones(unit.high, unit.high_bytes, n, places.data() + 1) != n) return false;
  kernels.unpack_words(unit.low, unit.width, n, out.data());
  const auto factor = static_cast<uint16_t>(uint32_t{1} << unit.width);  // 0 for 16 low bits
  kernels.add_zeros(places.data(), n, factor, out.data());
  return true;
}

}  // namespace pmdex
