// The parts of an answer that say how the search went. Pure functions.
#pragma once

#include <cstddef>
#include <span>

#include "pmem/status.h"
#include "query/searcher.h"
#include "tools/server/elasticsearch/json_text.h"
#include "tools/server/elasticsearch/search/index_query.h"

namespace pmdex {

// The "_shards" of an answer: how many of the `total` indexes of the search took part, and what is
// missing. results: indexed like `queries`; empty where the search failed. failures: the
// ShardErrors of all indexes that have no part in the answer.
Json ShardsJson(size_t total, std::span<const IndexQuery> queries,
                std::span<const SearchResult> results, std::span<const absl::Status> failures);
// The "profile": the plan of the search of each index that took part, and its time.
Json ProfileJson(std::span<const IndexQuery> queries, std::span<const SearchResult> results);

}  // namespace pmdex
