// What the queries of a set touch in an index, and how long they take with and without the CPU's
// caches. For one thread.
#pragma once

#include <optional>
#include <string>

#include "pmem/status.h"
#include "query/searcher.h"
#include "tools/compare/measured_index.h"
#include "tools/compare/medium/medium_model.h"
#include "tools/compare/medium/touched_lines.h"

namespace pmdex {

struct ClassTouches {
  QueryTouches mean;  // of a query
  // Set if times were asked for.
  std::optional<ModelledClass> modelled;
};

struct TouchOptions {
  size_t most_queries = 3;      // of a set, evenly spread over it
  size_t most_loads = 100'000;  // of a query; one takes some microseconds to record
  bool timed = false;
};

// kOutOfRange if a query has more loads, and kUnimplemented if loads cannot be recorded here, or
// the index is not mapped.
absl::StatusOr<ClassTouches> StudyClass(const Searcher& searcher, const BoundSet& set,
                                        const SearchOptions& search, const TouchOptions& options);

}  // namespace pmdex
