#include "engine/segment/compressed/position_unit_writer.h"

#include <array>

#include "engine/codec/value_unit.h"

namespace pmdex {

void PositionUnitWriter::Append(std::span<const uint16_t> entries,
                                std::span<const uint32_t> counts) {
  if (entries.empty()) return;
  entries_ += entries.size();
  const size_t before = values_.size();
  values_.resize(before + entries.size());
  uint16_t* const values = values_.data() + before;
  // As if all entries were of one posting, which is a loop of vectors. Then the first one of each.
  for (size_t i = 1; i < entries.size(); ++i) {
    values[i] = static_cast<uint16_t>(entries[i] - entries[i - 1] - 1);
  }
  size_t first = 0;
  for (const uint32_t count : counts) {
    if (count != 0) values[first] = entries[first];
    first += count;
  }
  size_t written = 0;
  for (; values_.size() - written >= kUnitValues; written += kUnitValues) {
    WriteUnit(std::span(values_).subspan(written, kUnitValues));
  }
  values_.erase(values_.begin(), values_.begin() + static_cast<ptrdiff_t>(written));
}

void PositionUnitWriter::WriteUnit(std::span<const uint16_t> values) {
  std::array<std::byte, kMostValueUnitBytes> unit;
  starts_.Add(units_.size_bytes());
  units_.Append(std::span(unit).first(EncodeValueUnit(values, units_.size_bytes(), unit)));
}

void PositionUnitWriter::Finish() {
  if (!values_.empty()) WriteUnit(values_);
  values_.clear();
  starts_.Add(units_.size_bytes());
  units_.PadTo(units_.size_bytes() + kUnitTailBytes);
}

}  // namespace pmdex
