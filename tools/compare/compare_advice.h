// Says by one rule which configuration suits the data, and compares answers and times of
// configurations. Thread-safe: no state.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/compare/compare_result.h"
#include "tools/compare/query_sets.h"

namespace pmdex {

inline constexpr std::string_view kAdviceRule =
    "Of the configurations with the largest scale, the default mode (pruned, if it ran), the "
    "fewest threads, and any or local memory, those count whose geometric mean of the mean times "
    "of all classes is within 10 % of the smallest such mean. The one with the fewest bytes is "
    "advised; among equals in bytes the fastest.";

struct CompareAdvice {
  std::string configuration;  // its name; empty: none can be advised
  std::string why;
};

CompareAdvice AdviseOn(const CompareResult& result);

// The geometric mean over the classes of the mean times; nullopt without a class.
std::optional<double> OverallMeanUs(const ComparedConfiguration& configuration);

// The first query, in the order of the sets, that two configurations of the same scale answer with
// other hits, or, both with exact totals, with other totals. sets: those that ran.
std::optional<AnswerDifference> FirstDifference(
    const std::vector<ComparedConfiguration>& configurations, const std::vector<QuerySet>& sets);

// The class of this name, or nullptr.
const ComparedClass* FindClass(const ComparedConfiguration& configuration, std::string_view name);

}  // namespace pmdex
