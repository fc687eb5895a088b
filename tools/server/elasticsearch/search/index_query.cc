#include "tools/server/elasticsearch/search/index_query.h"

#include <utility>

#include "query/columns/snapshot_columns.h"
#include "tools/server/elasticsearch/aggregations/aggregation_reader.h"

namespace pmdex {
namespace {

absl::StatusOr<IndexQuery> ReadQueries(const DslIndex& index, const SearchBody& body,
                                       AnalyzerPools& analyzers,
                                       const ElasticsearchLimits& limits) {
  IndexQuery read;
  QueryReader reader(index, analyzers, limits.max_clauses);
  PMDEX_ASSIGN_OR_RETURN(DslQuery query, reader.Read(body.query));
  read.scored = query.root.get();
  read.named = std::move(query.named);
  read.searched = std::move(query.root);
  if (!body.aggregations.is_null()) {
    const AggregationReader aggregations(index, analyzers, limits.max_clauses);
    PMDEX_ASSIGN_OR_RETURN(read.aggregations, aggregations.Read(body.aggregations));
  }
  if (!body.post_filter.is_null()) {
    QueryReader filter_reader(index, analyzers, limits.max_clauses);
    PMDEX_ASSIGN_OR_RETURN(DslQuery filter, filter_reader.Read(body.post_filter));
    read.named.insert(read.named.end(), filter.named.begin(), filter.named.end());
    QueryPtr both = QueryOfKind(QueryKind::kBoolean);
    both->clauses.push_back({Occur::kMust, std::move(read.searched)});
    both->clauses.push_back({Occur::kFilter, std::move(filter.root)});
    read.searched = std::move(both);
  }
  // Equal scores leave the hits in index order.
  if (body.sort.by_doc()) read.searched = ConstantScoreOf(std::move(read.searched));
  return read;
}

}  // namespace

DslIndex DslIndexOf(const ServedIndex& index) {
  const Snapshot& snapshot = index.searcher->snapshot();
  return {index.name, snapshot.settings().analyzer, snapshot.field_names(), ColumnNames(snapshot),
          KnowledgeOf(snapshot)};
}

absl::StatusOr<IndexQuery> ReadIndexQuery(std::shared_ptr<const ServedIndex> index,
                                          const SearchBody& body, AnalyzerPools& analyzers,
                                          const ElasticsearchLimits& limits) {
  PMDEX_ASSIGN_OR_RETURN(IndexQuery read, ReadQueries(DslIndexOf(*index), body, analyzers, limits));
  read.index = std::move(index);
  return read;
}

absl::Status CheckQueries(const SearchBody& body, AnalyzerPools& analyzers,
                          const ElasticsearchLimits& limits) {
  return ReadQueries(DslIndex{}, body, analyzers, limits).status();
}

}  // namespace pmdex
