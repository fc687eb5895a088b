// The check at the front of every unit (UnitCheck in unit_format.h), for readers that fetch units
// without the checksums of pages. Pure functions; thread-safe.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>

#include "engine/segment/format.h"
#include "pmem/checksum.h"

namespace pmdex {

inline constexpr size_t kUnitCheckBytes = sizeof(uint32_t);

// Writes the check of a unit. unit: all its bytes. offset: of the unit in its section.
inline void SetCheck(std::span<std::byte> unit, uint64_t offset) {
  const uint32_t check = UnitCheck(Crc32c(unit.subspan(kUnitCheckBytes)), offset);
  std::memcpy(unit.data(), &check, sizeof(check));
}

// True if the check is that of the unit.
inline bool HasRightCheck(std::span<const std::byte> unit, uint64_t offset) {
  uint32_t check = 0;
  if (unit.size() < kUnitCheckBytes) return false;
  std::memcpy(&check, unit.data(), sizeof(check));
  return check == UnitCheck(Crc32c(unit.subspan(kUnitCheckBytes)), offset);
}

}  // namespace pmdex
