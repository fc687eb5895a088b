// Looks counters of classes up, and puts those of all classes of a configuration together.
// Thread-safe: no state.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/compare/compare_result.h"
#include "tools/profile/profile_json.h"
#include "tools/report/report_table.h"

namespace pmdex {

// The counter of this name, or nullptr.
const CounterValue* FindCounter(const std::vector<CounterValue>& counters, std::string_view name);
std::optional<double> CounterOf(const std::vector<CounterValue>& counters, std::string_view name);

// As if the queries of all classes had run once: values of a query are weighted by the queries of
// a class, shares of slots or cycles by its cycles, and those of 1,000 instructions by its
// instructions. A counter that a class lacks, or that has another unit, is left out.
std::vector<CounterValue> CountersOfAll(const ComparedConfiguration& configuration);

// The counters of all classes as `pmdex profile --diff` compares them.
SavedProfile CountersAsProfile(const ComparedConfiguration& configuration);

// For each configuration with counters: how it differs from the first one of its mode and scale
// (the first ones of other scales: from the first one of their mode), and which node of the
// top-down hierarchy explains it. Without rows if there is nothing to compare.
ReportTable CounterDifferences(const CompareResult& result);

}  // namespace pmdex
