// Exact counts without scores: the documents of each clause as bits, a window at a time, combined
// word by word and counted. A single term or everything is known without looking. Thread-safe, but
// for the clauses that CountOpen is given.
#pragma once

#include <cstdint>
#include <span>

#include "pmem/status.h"
#include "query/algorithm/scoring/open_query.h"
#include "query/cursor/cursor.h"
#include "query/deadline.h"
#include "query/kernel/kernels.h"
#include "query/planning/query_binder.h"

namespace pmdex {

struct MatchCount {
  uint64_t count = 0;
  bool timed_out = false;  // the deadline came first: there may be more
};

// How many documents match. kDataLoss as in SearchExhaustively.
absl::StatusOr<MatchCount> CountMatches(const Plan& plan, const QueryKernels& kernels,
                                        Deadline deadline = std::nullopt);

// The same of one segment, whose clauses somebody else has opened with this context; damage goes
// there. No clauses: nothing matches.
MatchCount CountOpen(std::span<const OpenClause> clauses, CursorContext& context,
                     const Deadline& deadline);

}  // namespace pmdex
