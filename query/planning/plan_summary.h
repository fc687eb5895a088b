// A search plan in words, for --explain. Owns its text, so that it outlives the query and the
// snapshot. Thread-safe: no state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "query/planning/search_plan.h"

namespace pmdex {

struct PlanSummary {
  struct Clause {
    std::string_view occur;  // "must", "should", "must_not" or "filter"
    std::string query;       // ToText of the clause
    // Documents, about; hidden ones count, so that there is none for a user who may not see all.
    std::optional<uint64_t> estimate;
  };

  std::string_view algorithm;   // ToString(Algorithm)
  std::vector<Clause> clauses;  // in the order in which scores are added
  std::string_view count;       // ToString(CountMethod)
  size_t threads = 1;
  std::vector<std::string_view> segments;  // the algorithm of each, in index order
  std::vector<std::string_view> tiers;     // of each segment
  std::vector<std::string> places;         // the directory of each; empty for that of the index
  std::optional<NodeParts> node_parts = std::nullopt;  // if threads were bound to nodes
};

// segments: the algorithm that PlanSegmentSearch chose for each segment.
PlanSummary Summarize(const SearchPlan& plan, std::span<const Algorithm> segments);

}  // namespace pmdex
