#include "engine/segment/compressed/unit_reader.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"

#include "pmem/text.h"

namespace pmdex {
namespace {

// So much is read and pinned at a time.
constexpr uint64_t kMostPinnedBytes = 64 * kCacheBlockBytes;

}  // namespace

UnitReader::UnitReader(const SegmentView& view, SectionKind kind) : view_(&view), kind_(kind) {
  const uint64_t section_bytes = view.RawSection(kind).size();
  units_end_ = section_bytes - std::min(section_bytes, kUnitTailBytes);
}

absl::Status UnitReader::WrongUnit(uint64_t offset) const {
  return view_->Damage(kind_, offset, "this is not the unit that should be here");
}

// Pins the range, and what is expected behind it.
absl::Status UnitReader::Pin(uint64_t offset, uint64_t size_bytes) {
  pinned_begin_ = pinned_end_ = 0;
  pin_ = {};
  const UncachedUnits& units = *view_->uncached_units();
  const auto section =
      static_cast<uint64_t>(view_->RawSection(kind_).data() - view_->bytes().data());
  const uint64_t begin = section + offset;
  const uint64_t most = std::min(units_end_ - offset, kMostPinnedBytes - begin % kCacheBlockBytes);
  const uint64_t expected = expected_end_ > offset ? expected_end_ - offset : 0;
  const uint64_t wanted = std::max(size_bytes, std::min(expected, most));
  absl::StatusOr<BlockCache::Pin> pin = units.cache->PinRange(*units.file, begin, wanted);
  if (!pin.ok()) {
    return view_->Damage(kind_, offset,
                         absl::StrCat("cannot be read: ", ToAbsl(Message(pin.status()))));
  }
  pin_ = *std::move(pin);
  pinned_begin_ = offset;
  pinned_end_ = std::min(AlignUp(begin + wanted, kCacheBlockBytes) - section, units_end_);
  return absl::OkStatus();
}

absl::StatusOr<std::span<const std::byte>> UnitReader::ReadUncached(uint64_t offset,
                                                                    uint64_t size_bytes) {
  if (offset < pinned_begin_ || offset + size_bytes > pinned_end_) {
    PMDEX_RETURN_IF_ERROR(Pin(offset, size_bytes));
  }
  const auto section =
      static_cast<uint64_t>(view_->RawSection(kind_).data() - view_->bytes().data());
  // A unit may lie in two blocks.
  for (uint64_t at = 0; at < size_bytes;) {
    const uint64_t place = section + offset + at;
    const uint64_t part = std::min(size_bytes - at, kCacheBlockBytes - place % kCacheBlockBytes);
    std::memcpy(unit_.data() + at, pin_.At(place), part);
    at += part;
  }
  std::memset(unit_.data() + size_bytes, 0, kUnitTailBytes);
  return std::span<const std::byte>(unit_).first(size_bytes);
}

}  // namespace pmdex
