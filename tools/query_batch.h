// `pmdex search --queries FILE`: opens the index once and runs each line of the file as a query.
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

// The median by nearest rank. Requires at least one value.
double MedianOf(std::vector<double> values);

// Runs every line that is not blank `repeat` times, and prints the results in the file's order,
// then a summary. A line that cannot be parsed gets a result with an error, and the other lines
// still run. Returns the exit status, which is not 0 if a line failed or the deadline cut an answer
// short.
absl::StatusOr<int> RunQueryBatch(const Searcher& searcher, const SearchOptions& search,
                                  const QueryBatchOptions& batch);

}  // namespace pmdex
