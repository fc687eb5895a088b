// Draws a flame graph: how many samples had which function on top of which other ones (Gregg, "The
// Flame Graph", CACM 2016). Thread-safe: no state.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace pmdex {

// Samples by stack, the outermost frame first.
using FoldedStacks = std::map<std::vector<std::string>, uint64_t>;

// An <svg> element, 1,000 units wide. The width of a frame is its share of the samples; frames that
// would be too narrow to see are left out. Each frame has a <title> with its whole name and share.
// All text is escaped. Empty if there are no samples.
std::string FlameGraphSvg(const FoldedStacks& stacks);

}  // namespace pmdex
