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

// doc: the number of a matching document in index order. The returned value equals its score.
// kInvalidArgument if the document is deleted or does not match, kDataLoss if its postings are
// damaged, kDeadlineExceeded if the deadline came first.
absl::StatusOr<Explanation> Explain(const QueryBinding& binding, uint64_t doc,
                                    const Deadline& deadline = {});

}  // namespace pmdex
