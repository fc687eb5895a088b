// search --queries FILE: one process opens the index once and runs every line.
#pragma once

#include <string>
#include <vector>

#include "pmem/status.h"
#include "query/searcher.h"

namespace pmdex {

struct QueryBatchOptions {
  std::string path;  // "-": standard input
  int threads = 1;
  int repeat = 1;
  bool json = false;
};

// Nearest rank; requires at least one value.
double MedianOf(std::vector<double> values);

// Runs every line that is not blank, `repeat` times over; prints results in the file's order, then
// a summary. A line that cannot be parsed becomes a result with an error, and the exit status says
// so (the other lines still run); so it does when the deadline cut an answer short. Returns the
// exit status.
absl::StatusOr<int> RunQueryBatch(const Searcher& searcher, const SearchOptions& search,
                                  const QueryBatchOptions& batch);

}  // namespace pmdex
