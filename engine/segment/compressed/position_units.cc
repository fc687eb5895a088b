#include "engine/segment/compressed/position_units.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <span>

#include "engine/segment/file/offset_table.h"

namespace pmdex {
namespace {

// Before the first entry of a posting. Its difference to an entry, less 1, is the entry, modulo
// 2^16.
constexpr uint16_t kNoEntry = 0xffff;

bool AreAllOne(std::span<const uint32_t> counts) {
  uint32_t sum = 0;
  uint32_t bits = 0;
  for (const uint32_t count : counts) {
    sum += count;
    bits |= count;
  }
  return bits == 1 && sum == counts.size();
}

}  // namespace

uint64_t PositionUnits::MostEntries(const SegmentView& view) {
  const uint64_t offsets =
      view.RawSection(SectionKind::kPositionUnitStarts).size() / kTableOffsetBytes;
  return offsets == 0 ? 0 : (offsets - 1) * kUnitValues;
}

absl::Status PositionUnits::Decode(uint64_t unit, uint32_t end) {
  // A caller that reads two runs of a unit, or goes on from the unit before, will read others.
  const bool reads_on = unit == unit_ || unit == unit_ + 1;
  unit_ = kNoUnit;
  decoded_ = 0;
  const uint64_t place = std::min(unit, kMaxTableOffset) * kTableOffsetBytes;
  PMDEX_ASSIGN_OR_RETURN(const auto starts, view_->Slice(SectionKind::kPositionUnitStarts, place,
                                                         2 * kTableOffsetBytes));
  const uint64_t begin = TableOffset(starts, 0);
  const uint64_t size_bytes = TableOffset(starts, 1) - begin;
  if (size_bytes > kMostValueUnitBytes) return units_.WrongUnit(begin);
  PMDEX_ASSIGN_OR_RETURN(const std::span<const std::byte> bytes, units_.Read(begin, size_bytes));
  const std::optional<ValueUnitView> parsed = ParseValueUnit(bytes);
  if (!parsed.has_value() || parsed->count < end || bytes.size() != size_bytes ||
      !units_.IsSound(bytes, begin)) {
    return units_.WrongUnit(begin);
  }
  const uint32_t wanted = reads_on ? parsed->count : end;
  if (!DecodeValues(*parsed, wanted, *kernels_, values_)) return units_.WrongUnit(begin);
  decoded_ = wanted;
  unit_ = unit;
  return absl::OkStatus();
}

// Calls visit(values) for the values [first, last), as many of a unit at a time as there are.
template <typename F>
absl::Status PositionUnits::ForEachUnit(uint64_t first, uint64_t last, F visit) {
  for (uint64_t at = first; at < last;) {
    const uint64_t unit = at / kUnitValues;
    const uint64_t begin = unit * kUnitValues;
    const uint64_t end = std::min<uint64_t>(last, begin + kUnitValues);
    if (unit != unit_ || end - begin > decoded_) {
      PMDEX_RETURN_IF_ERROR(Decode(unit, static_cast<uint32_t>(end - begin)));
    }
    visit(std::span<const uint16_t>(values_.data() + (at - begin), end - at));
    at = end;
  }
  return absl::OkStatus();
}

absl::Status PositionUnits::ReadRun(uint64_t first, uint64_t last, uint16_t* out) {
  uint16_t before = kNoEntry;
  return ForEachUnit(first, last, [&](std::span<const uint16_t> values) {
    kernels_->add_up_words(values.data(), static_cast<uint32_t>(values.size()), before, out);
    out += values.size();
    before = out[-1];
  });
}

// Postings that lie near each other are added up together: to begin anew costs as much as some
// entries.
absl::Status PositionUnits::ReadRuns(uint64_t first, std::span<const uint32_t> counts,
                                     uint64_t wanted, uint16_t* out) {
  if (wanted == 0) return absl::OkStatus();
  if (AreAllOne(counts)) {
    const auto from = static_cast<uint64_t>(std::countr_zero(wanted));
    const auto until = static_cast<uint64_t>(std::bit_width(wanted));
    return CopyValues(first + from, first + until, out + from);
  }
  constexpr uint64_t kGap = 64;  // entries
  std::array<uint64_t, 64> begins;
  uint64_t end = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    begins[i] = end;
    end += counts[i];
  }
  const auto next = [&] { return static_cast<size_t>(std::countr_zero(wanted)); };
  while (wanted != 0) {
    const uint64_t from = begins[next()];
    uint64_t until = from;
    uint64_t together = 0;
    for (; wanted != 0 && begins[next()] <= until + kGap; wanted &= wanted - 1) {
      until = begins[next()] + counts[next()];
      together |= wanted & (~wanted + 1);
    }
    PMDEX_RETURN_IF_ERROR(AddUpAll(first + from, first + until));
    for (; together != 0; together &= together - 1) {
      const auto i = static_cast<size_t>(std::countr_zero(together));
      CopyRun(begins[i] - from, counts[i], until - from, out + from);
    }
  }
  return absl::OkStatus();
}

absl::Status PositionUnits::CopyValues(uint64_t first, uint64_t last, uint16_t* out) {
  return ForEachUnit(first, last, [&out](std::span<const uint16_t> values) {
    out = std::copy(values.begin(), values.end(), out);
  });
}

absl::Status PositionUnits::AddUpAll(uint64_t first, uint64_t last) {
  if (sums_.size() < last - first + 1) sums_.resize(last - first + 1);
  sums_[0] = kNoEntry;
  uint16_t* out = sums_.data();
  return ForEachUnit(first, last, [&](std::span<const uint16_t> values) {
    const auto count = static_cast<uint32_t>(values.size());
    kernels_->add_up_words(values.data(), count, *out, out + 1);
    out += count;
  });
}

}  // namespace pmdex
