// The plots of a profile, as values. Thread-safe: no state.
#pragma once

#include <vector>

#include "tools/profile/profile_result.h"
#include "tools/report/plot.h"

namespace pmdex {

// Those for which there is something measured: level 1 and 2 by configuration, level 1 and the
// levels of memory by class, phases, time and instructions by length of the posting lists, and, if
// there are indexes of several sizes, stalls and misses by size.
std::vector<Plot> ProfilePlots(const ProfileResult& result);

}  // namespace pmdex
