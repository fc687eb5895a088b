#include "engine/segment/compressed/position_unit_writer.h"

#include <algorithm>
#include <array>

#include "engine/codec/value_unit.h"

namespace pmdex {

// The first value of a unit is the entry itself.
void PositionUnitWriter::WriteUnit() {
  std::array<std::byte, kUnitBytes> unit;
  const uint64_t first = first_entry_ + written_;
  values_[written_] = entries_[written_];
  const EncodedUnit encoded = EncodeValueUnit(std::span(values_).first(count_).subspan(written_),
                                              static_cast<uint32_t>(first), unit);
  units_.Append(std::span(unit).first(encoded.bytes));
  const uint64_t end = first + encoded.postings;
  while (starts_.size() * uint64_t{kUnitPostings} < end) starts_.push_back(unit_);
  ++unit_;
  written_ += encoded.postings;
}

void PositionUnitWriter::MakeRoom(size_t wanted) {
  // Only the last unit of all may end with the entries: the others have kUnitBytes.
  while (count_ - written_ > kUnitPostings) WriteUnit();
  const size_t left = count_ - written_;
  std::copy_n(entries_.begin() + static_cast<ptrdiff_t>(written_), left, entries_.begin());
  std::copy_n(values_.begin() + static_cast<ptrdiff_t>(written_), left, values_.begin());
  first_entry_ += written_;
  count_ = left;
  written_ = 0;
  if (wanted <= entries_.size() - count_) return;
  entries_.resize(count_ + wanted);
  values_.resize(count_ + wanted);
}

void PositionUnitWriter::Finish() {
  while (written_ < count_) WriteUnit();
  units_.PadTo(units_.size_bytes() + kUnitTailBytes);
}

}  // namespace pmdex
