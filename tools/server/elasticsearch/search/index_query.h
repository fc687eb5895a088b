// A search of one index: the query trees that the body of a request makes for it. Immutable once it
// is read; the trees point into each other, so it can be moved but not copied.
#pragma once

#include <memory>
#include <vector>

#include "pmem/status.h"
#include "tools/server/elasticsearch/aggregations/api_aggregation.h"
#include "tools/server/elasticsearch/dsl/query_reader.h"
#include "tools/server/elasticsearch/elasticsearch_limits.h"
#include "tools/server/elasticsearch/search/search_body.h"
#include "tools/server/served_index.h"

namespace pmdex {

struct IndexQuery {
  std::shared_ptr<const ServedIndex> index;
  QueryPtr searched;              // finds and orders the hits
  const Query* scored = nullptr;  // the part of `searched` that the scores of hits come from
  const Query* best = nullptr;    // the part that finds the same hits and orders them by score
  std::vector<NamedQuery> named;  // parts of `searched`
  ApiAggregations aggregations;   // over the matches of the query without the post_filter
};

// The mapping of an index that the server writes; nullptr for any other.
const MappedFields* MappedFieldsOf(const ServedIndex& index);

// What the DSL needs to know of an index. The index must outlive it.
DslIndex DslIndexOf(const ServedIndex& index);

// Reads query and post_filter of the body for the index. Errors as QueryReader::Read.
absl::StatusOr<IndexQuery> ReadIndexQuery(std::shared_ptr<const ServedIndex> index,
                                          const SearchBody& body, AnalyzerPools& analyzers,
                                          const ElasticsearchLimits& limits);
// Reads them for no index, to find what is wrong with them anywhere.
absl::Status CheckQueries(const SearchBody& body, AnalyzerPools& analyzers,
                          const ElasticsearchLimits& limits);

}  // namespace pmdex
