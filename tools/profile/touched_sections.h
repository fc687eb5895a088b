// What the queries of a profile touch in the segments, recorded load by load
// (compare/medium/access_recorder.h) after the counted passes. For one thread.
#pragma once

#include <vector>

#include "pmem/status.h"
#include "query/searcher.h"
#include "tools/profile/profile_queries.h"
#include "tools/profile/profile_result.h"

namespace pmdex {

// Sets touched and touched_queries from at most eight queries, evenly spread. Queries with too many
// loads are left out, and a note says so; so it does where loads cannot be recorded at all.
absl::Status AddTouchedSections(const Searcher& searcher, const std::vector<ProfileQuery>& queries,
                                bool exhaustive, ProfiledConfiguration& configuration);

}  // namespace pmdex
