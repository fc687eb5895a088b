// Plans and answers a bound query in one call, for tests.
#pragma once

#include "pmem/status.h"
#include "query/algorithm/counting.h"
#include "query/algorithm/pruned_search.h"
#include "query/algorithm/search_context.h"
#include "query/planning/planner.h"

namespace pmdex {

// True if the planner answers the query with a pruned search.
inline bool IsPruned(const QueryBinding& binding) {
  const Algorithm algorithm = PlanSearch(binding, {}).algorithm;
  return algorithm != Algorithm::kNone && algorithm != Algorithm::kExhaustive;
}

// Requires IsPruned.
inline absl::StatusOr<PrunedDocs> PlanAndSearch(const QueryBinding& binding,
                                                const PlanOptions& options = {},
                                                const QueryKernels& kernels = BestQueryKernels(),
                                                const Deadline& deadline = {}) {
  const SearchPlan plan = PlanSearch(binding, options);
  return SearchPruned({binding, plan, kernels, deadline});
}

inline absl::StatusOr<MatchCount> PlanAndCount(const QueryBinding& binding,
                                               const QueryKernels& kernels = BestQueryKernels(),
                                               const Deadline& deadline = {}) {
  PlanOptions options;
  options.k = 0;
  const SearchPlan plan = PlanSearch(binding, options);
  return CountMatches({binding, plan, kernels, deadline});
}

}  // namespace pmdex
