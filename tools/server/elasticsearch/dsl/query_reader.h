// Reads the query DSL: the JSON of a query becomes a query tree for one index.
//
//   JSON -> QueryReader -> query tree -> Searcher
//
// The kinds of queries and their options are those of KnownQueries (api_table.h). A reader reads
// one query. For one thread.
#pragma once

#include <string>
#include <vector>

#include "tools/server/elasticsearch/dsl/dsl_scope.h"

namespace pmdex {

// A query with the option _name. It points into the tree.
struct NamedQuery {
  std::string name;
  const Query* query = nullptr;
};

struct DslQuery {
  QueryPtr root;
  std::vector<NamedQuery> named;
};

class QueryReader final : public DslScope {
 public:
  using DslScope::DslScope;

  // Null reads as match_all. Returns an ApiError that names what is wrong, or a ShardError if it is
  // wrong in this index only.
  absl::StatusOr<DslQuery> Read(const Json& query);

  QueryOr Clause(const Json& clause) override;

 private:
  QueryOr ReadKind(std::string_view kind, const Json& body);
  // Kinds of the form {"field": {options}}. They, too, have options in the object beside.
  QueryOr ReadInField(std::string_view kind, const Json& body);
  QueryOr ReadWhole(std::string_view kind, const Json& body);
  // Applies boost and _name.
  QueryOr Finish(std::string_view kind, const Json& options, QueryPtr query);

  std::vector<NamedQuery> named_;
};

}  // namespace pmdex
