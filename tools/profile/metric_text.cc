#include "tools/profile/metric_text.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "tools/command.h"

namespace pmdex {

std::string MetricText(double value, std::string_view unit) {
  if (unit.starts_with("share")) return absl::StrFormat("%.3f", value);
  if (std::abs(value) >= 1e15) return absl::StrFormat("%.3e", value);
  if (std::abs(value) >= 1000) {
    return (value < 0 ? "-" : "") +
           WithThousands(static_cast<uint64_t>(std::llround(std::abs(value))));
  }
  if (value == 0) return "0";
  if (std::abs(value) >= 100) return absl::StrFormat("%.0f", value);
  return std::abs(value) >= 0.01 ? absl::StrFormat("%.3g", value) : absl::StrFormat("%.2e", value);
}

std::string RangeText(uint64_t from, uint64_t to) {
  if (to <= from + 1) return WithThousands(from);
  return absl::StrCat(WithThousands(from), " to ", WithThousands(to - 1));
}

}  // namespace pmdex
