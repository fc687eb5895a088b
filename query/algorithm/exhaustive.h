// The exhaustive search: it walks over every match of a bound query, document at a time, and scores
// each one. It is plain on purpose, because it is the oracle: every other algorithm must find the
// same documents with the same scores to the bit. A query of one term takes a loop over the arrays
// of its posting list instead of a cursor. Thread-safe: no state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pmem/status.h"
#include "query/deadline.h"
#include "query/planning/query_binder.h"
#include "query/result/top_k.h"

namespace pmdex {

struct RankedDocs {
  std::vector<ScoredDoc> docs;  // by falling score, the earlier document first among equals
  uint64_t total = 0;           // how many documents match; exact unless timed_out
  bool timed_out = false;  // the deadline came first; docs and total are those found until then
};

// With k 0 and no minimum score it counts the matches and scores nothing. kDataLoss if a segment is
// damaged or cannot be read; that segment is quarantined then.
absl::StatusOr<RankedDocs> SearchExhaustively(const QueryBinding& binding, size_t k,
                                              Deadline deadline = std::nullopt,
                                              const RankLimits& limits = {});

}  // namespace pmdex
