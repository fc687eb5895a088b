// Which of the documents that match may become hits. A plain value.
#pragma once

#include <limits>
#include <optional>

#include "query/result/scored_docs.h"

namespace pmdex {

struct RankLimits {
  // Documents that score less are no hits and do not count as matches.
  float min_score = -std::numeric_limits<float>::infinity();
  // Only documents behind this one in the order of a result are hits. The others still count.
  std::optional<ScoredDoc> after = std::nullopt;

  bool has_min_score() const { return min_score > -std::numeric_limits<float>::infinity(); }
};

}  // namespace pmdex
