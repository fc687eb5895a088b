// Chooses how a bound query is answered: once for the query, and once for each segment where that
// depends on the segment. Thread-safe: no state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "query/language/query.h"
#include "query/planning/query_binder.h"
#include "query/planning/search_plan.h"

namespace pmdex {

// What the caller of a search asks for.
struct PlanOptions {
  // With fewer postings to read, starting a thread costs more time than it saves.
  static constexpr uint64_t kLeastParallelPostings = uint64_t{1} << 22;

  size_t k = 10;            // documents to rank; 0: only count
  bool exhaustive = false;  // score every match
  bool count = false;       // the total must be exact
  // The total must be exact if it is at most so many. `count` goes before it.
  std::optional<uint64_t> count_limit = std::nullopt;
  RankLimits limits{};
  size_t threads = 1;  // that may share the work of the query
  uint64_t least_parallel_postings = kLeastParallelPostings;
  uint32_t windows_per_range = 64;  // that one thread takes at a time; at least 1
};

// The binding must outlive the plan. Queries that pruning cannot answer, or not faster, get
// Algorithm::kExhaustive: those with a negative weight, and those with a word in more than 128
// fields. A document has few of so many fields, and the sum of all their upper bounds is too high
// to rule any document out. A count of the documents that reach a minimum score needs all scores.
SearchPlan PlanSearch(const QueryBinding& binding, const PlanOptions& options);

// clauses: those that have documents in the segment; empty if nothing can match there.
SegmentSearchPlan PlanSegmentSearch(const SearchPlan& plan, std::span<const SegmentClause> clauses);

}  // namespace pmdex
