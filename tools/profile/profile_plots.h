// The plots of a profile, as values. Thread-safe: no state.
#pragma once

#include <string>
#include <vector>

#include "tools/profile/profile_result.h"
#include "tools/report/plot.h"

namespace pmdex {

// Those for which there is something measured: levels 1 and 2 by configuration, these and the
// levels of memory by class, plan and length of the posting lists, phases, time and instructions by
// that length, and, if there are indexes of several sizes, stalls and misses by size.
std::vector<Plot> ProfilePlots(const ProfileResult& result);

// A bar of a plot.
struct NamedMetrics {
  std::string name;
  const MetricSet* metrics = nullptr;
};

// Stacked bars of levels 1 and 2 and of the levels of memory; only plots that have a value. name:
// of the plots, as "classes"; words and of stand in the titles behind the level.
std::vector<Plot> TopDownPlots(const EventTable& table, const std::string& name,
                               const std::string& words, const std::string& of,
                               const std::vector<NamedMetrics>& bars);

}  // namespace pmdex
