#include "tools/server/elasticsearch/dsl/query_tree.h"

namespace pmdex {

QueryPtr QueryOfKind(QueryKind kind) {
  auto query = std::make_unique<Query>();
  query->kind = kind;
  return query;
}

QueryPtr FieldLeaf(QueryKind kind, std::string_view field, std::string_view text) {
  QueryPtr leaf = QueryOfKind(kind);
  leaf->field = field;
  leaf->text = text;
  return leaf;
}

QueryPtr IdsQuery(std::vector<std::string> ids) {
  QueryPtr query = QueryOfKind(ids.empty() ? QueryKind::kNone : QueryKind::kIds);
  query->terms = std::move(ids);
  return query;
}

QueryPtr AllOf(Occur occur, std::vector<QueryPtr> queries) {
  if (queries.empty()) return QueryOfKind(QueryKind::kNone);
  if (queries.size() == 1) return std::move(queries[0]);
  QueryPtr all = QueryOfKind(QueryKind::kBoolean);
  for (QueryPtr& query : queries) all->clauses.push_back({occur, std::move(query)});
  return all;
}

QueryPtr ConstantScoreOf(QueryPtr filter) {
  if (filter->kind == QueryKind::kNone) return filter;
  QueryPtr constant = QueryOfKind(QueryKind::kConstantScore);
  constant->clauses.push_back({Occur::kFilter, std::move(filter)});
  return constant;
}

QueryPtr BestOf(std::vector<QueryPtr> queries, float tie_breaker) {
  if (queries.empty()) return QueryOfKind(QueryKind::kNone);
  if (queries.size() == 1) return std::move(queries[0]);
  QueryPtr best = QueryOfKind(QueryKind::kDisjunctionMax);
  best->tie_breaker = tie_breaker;
  for (QueryPtr& query : queries) best->clauses.push_back({Occur::kShould, std::move(query)});
  return best;
}

}  // namespace pmdex
