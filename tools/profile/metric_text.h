// Numbers of metrics for people. Thread-safe: no state.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace pmdex {

// Three significant digits at least: "0.123" for shares, "12.3", "1,234".
std::string MetricText(double value, std::string_view unit);

// "1,000 to 3,000" without the second bound itself; "0" for the range of no postings.
std::string RangeText(uint64_t from, uint64_t to);

}  // namespace pmdex
