#include "engine/segment/compressed/position_unit_writer.h"

#include "engine/codec/value_unit.h"

namespace pmdex {

void PositionUnitWriter::WriteUnit() {
  std::array<std::byte, kMostValueUnitBytes> unit;
  starts_.Add(units_.size_bytes());
  const size_t size = EncodeValueUnit(std::span(values_).first(count_), units_.size_bytes(), unit);
  units_.Append(std::span(unit).first(size));
  count_ = 0;
}

void PositionUnitWriter::Finish() {
  if (count_ != 0) WriteUnit();
  starts_.Add(units_.size_bytes());
  units_.PadTo(units_.size_bytes() + kUnitTailBytes);
}

}  // namespace pmdex
