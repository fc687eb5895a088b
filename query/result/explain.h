// Why a document has its score: the same arithmetic as the search, step by step. A tree of values
// with words, shaped as Lucene's; whoever shows it renders it. Owns its words. Thread-safe: no
// state.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pmem/status.h"
#include "query/deadline.h"

namespace pmdex {

struct Plan;

struct Explanation {
  float value = 0;
  std::string description;           // how the value follows from the details
  std::vector<Explanation> details;  // empty for a fact
};

// doc: number in index order, of a document that matches. The value equals its score.
// kInvalidArgument when the document does not match, kDataLoss when its postings are damaged,
// kDeadlineExceeded.
absl::StatusOr<Explanation> Explain(const Plan& plan, uint64_t doc, const Deadline& deadline = {});

}  // namespace pmdex
