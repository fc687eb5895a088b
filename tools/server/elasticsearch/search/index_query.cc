#include "tools/server/elasticsearch/search/index_query.h"

#include <utility>

#include "query/columns/snapshot_columns.h"
#include "tools/server/elasticsearch/aggregations/aggregation_reader.h"
#include "tools/server/elasticsearch/dsl/mapped_range.h"
#include "tools/server/writing/index_definition.h"

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
  read.best = read.searched.get();
  // Equal scores leave the hits in index order.
  if (body.sort.by_doc()) read.searched = ConstantScoreOf(std::move(read.searched));
  return read;
}

}  // namespace

const MappedFields* MappedFieldsOf(const ServedIndex& index) {
  return index.definition == nullptr ? nullptr : &index.definition->fields();
}

DslIndex DslIndexOf(const ServedIndex& index) {
  const Snapshot& snapshot = index.searcher->snapshot();
  DslIndex dsl{index.name, snapshot.settings().analyzer, snapshot.field_names(),
               ColumnNames(snapshot), KnowledgeOf(snapshot)};
  const MappedFields* const mapped = dsl.mapped = MappedFieldsOf(index);
  if (mapped == nullptr) return dsl;
  // A field may be declared before a document has it.
  dsl.columns.type_of = [mapped, known = std::move(dsl.columns.type_of)](
                            std::string_view field) -> std::optional<FieldType> {
    const std::optional<FieldType> type = known(field);
    const MappedField* const declared = type.has_value() ? nullptr : mapped->Find(field);
    return declared == nullptr ? type : StoredTypeOf(declared->type);
  };
  dsl.columns.range_of = [mapped, now = dsl.columns.now](
                             std::string_view field, const std::optional<BoundText>& low,
                             const std::optional<BoundText>& high) -> std::optional<RangeOutcome> {
    const MappedField* const declared = mapped->Find(field);
    if (declared == nullptr || !HasMappedRange(*declared)) return std::nullopt;
    return MakeMappedRange(*declared, low, high, now);
  };
  return dsl;
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
