#include "engine/segment/compressed/position_units.h"

#include <algorithm>
#include <optional>
#include <span>

#include "engine/codec/value_unit.h"

namespace pmdex {
namespace {

// Before the first entry of a posting and of a unit. Its difference to an entry, less 1, is the
// entry, modulo 2^16.
constexpr uint16_t kNoEntry = 0xffff;

}  // namespace

uint64_t PositionUnits::MostEntries(const SegmentView& view) {
  return view.RawArray<uint32_t>(SectionKind::kPositionUnitStarts).size() * uint64_t{kUnitPostings};
}

absl::StatusOr<uint32_t> PositionUnits::Unpack(uint64_t unit) {
  count_ = 0;
  const uint64_t offset = unit * kUnitBytes;
  PMDEX_ASSIGN_OR_RETURN(const std::span<const std::byte> bytes, units_.Read(offset));
  const std::optional<ValueUnitView> parsed = ParseValueUnit(bytes);
  // Only the last unit of the section is cut off, and so are its bytes.
  if (!parsed.has_value() || !units_.IsSound(bytes, bytes.size())) return units_.WrongUnit(offset);
  DecodeValues(*parsed, *kernels_, values_.data());
  unit_ = unit;
  count_ = parsed->count;
  return parsed->first_value;
}

absl::Status PositionUnits::Seek(uint64_t entry) {
  if (count_ != 0 && entry == begin_ + count_) {  // the unit behind
    PMDEX_ASSIGN_OR_RETURN(const uint32_t first, Unpack(unit_ + 1));
    if (first != static_cast<uint32_t>(entry)) {
      count_ = 0;
      return units_.WrongUnit(unit_ * kUnitBytes);
    }
    begin_ = entry;
    return absl::OkStatus();
  }
  const uint64_t number = entry / kUnitPostings;
  PMDEX_ASSIGN_OR_RETURN(const auto starts,
                         view_->Array<uint32_t>(SectionKind::kPositionUnitStarts, number, 1));
  const uint64_t at = number * kUnitPostings;
  PMDEX_ASSIGN_OR_RETURN(const uint32_t first, Unpack(starts[0]));
  const uint32_t before = static_cast<uint32_t>(at) - first;  // entries of the unit before `at`
  if (before >= count_ || before > at) {
    count_ = 0;
    return units_.WrongUnit(unit_ * kUnitBytes);
  }
  begin_ = at - before;
  while (entry - begin_ >= count_) PMDEX_RETURN_IF_ERROR(Seek(begin_ + count_));
  return absl::OkStatus();
}

absl::Status PositionUnits::ReadRun(uint64_t first, uint64_t last, uint16_t* out) {
  uint16_t before = kNoEntry;
  for (uint64_t at = first; at < last;) {
    if (at - begin_ >= count_) PMDEX_RETURN_IF_ERROR(Seek(at));
    if (at == begin_) before = kNoEntry;
    const uint64_t end = std::min(last, begin_ + count_);
    for (const uint16_t* value = values_.data() + (at - begin_); at < end; ++at) {
      *out++ = before = static_cast<uint16_t>(before + *value++ + 1);
    }
  }
  return absl::OkStatus();
}

}  // namespace pmdex
