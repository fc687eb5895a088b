// Explains the score of a document: the arithmetic of the search, step by step, as a tree of values
// with descriptions. The tree has the shape of Lucene's and owns its strings; the caller formats
// it. Stateless, thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pmem/status.h"
#include "query/deadline.h"

namespace pmdex {

struct QueryBinding;

struct Explanation {
  float value = 0;
  std::string description;           // says how the value follows from the details
  std::vector<Explanation> details;  // empty if the value needs no explanation
};

// doc: number in index order, of a document that matches. The value equals its score.
// kInvalidArgument when the document does not match, kDataLoss when its postings are damaged,
// kDeadlineExceeded.
absl::StatusOr<Explanation> Explain(const QueryBinding& binding, uint64_t doc,
                                    const Deadline& deadline = {});

}  // namespace pmdex
