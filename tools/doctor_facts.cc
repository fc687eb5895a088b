#include "tools/doctor_facts.h"

#include <array>

#include "absl/strings/str_format.h"

namespace pmdex {

std::string_view ToString(CheckState state) {
  switch (state) {
    case CheckState::kOk:
      return "ok";
    case CheckState::kInfo:
      return "info";
    case CheckState::kWarn:
      return "warn";
    case CheckState::kAbsent:
      return "absent";
  }
  return "info";
}

std::string FormatByteCount(uint64_t size_bytes) {
  constexpr std::array kUnits = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  size_t unit = 0;
  auto value = static_cast<double>(size_bytes);
  for (; value >= 1024 && unit + 1 < kUnits.size(); ++unit) value /= 1024;
  const bool whole = unit == 0 || value == static_cast<double>(static_cast<uint64_t>(value));
  return absl::StrFormat("%.*f %s", whole ? 0 : 1, value, kUnits[unit]);
}

}  // namespace pmdex
