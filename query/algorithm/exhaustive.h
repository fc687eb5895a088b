// The oracle: every match of a bound query, document at a time, each one scored. Plain on purpose;
// what other algorithms find must equal this, document for document and bit for bit. A query of one
// term takes a loop over its lanes instead of a cursor. Thread-safe: no state.
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
  std::vector<ScoredDoc> docs;  // score descending, ties by earlier document
  uint64_t total = 0;           // matches, exact unless timed_out
  bool timed_out = false;       // the deadline came first: docs and total are of what was looked at
};

// k 0: counts and scores nothing. kDataLoss when a segment holds what it must not or was not read;
// the segment is quarantined then.
absl::StatusOr<RankedDocs> SearchExhaustively(const Plan& plan, size_t k,
                                              Deadline deadline = std::nullopt);

}  // namespace pmdex
