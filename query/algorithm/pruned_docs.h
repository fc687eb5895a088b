// What a pruned search found.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "query/planning/search_plan.h"
#include "query/result/scored_docs.h"

namespace pmdex {

struct PrunedDocs {
  std::vector<ScoredDoc> docs;  // by falling score, the earlier document first among equals
  uint64_t scored = 0;          // documents that matched and got a score
  bool timed_out = false;       // the deadline came first; docs are the best found until then
  // How many documents match, if the plan counts with the ranking. After a timeout at least so many
  // match. nullopt if nothing was counted.
  std::optional<uint64_t> matches = std::nullopt;
  // The algorithm of each segment, in index order; kNone where nothing can match.
  std::vector<Algorithm> segments;
  std::optional<NodeParts> node_parts = std::nullopt;  // if threads were bound to nodes
};

}  // namespace pmdex
