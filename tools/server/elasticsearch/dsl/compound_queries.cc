#include "tools/server/elasticsearch/dsl/compound_queries.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

#include "tools/server/elasticsearch/api_error.h"
#include "tools/server/elasticsearch/dsl/match_options.h"
#include "tools/server/elasticsearch/parameters.h"

namespace pmdex {
namespace {

// value: a clause, or a list of clauses; null stands for none.
absl::Status AddClauses(DslScope& scope, const Json& value, Occur occur, Query& query) {
  if (value.is_null()) return absl::OkStatus();
  const Json list = value.is_array() ? value : Json::array({value});
  for (const Json& clause : list) {
    PMDEX_ASSIGN_OR_RETURN(QueryPtr read, scope.Clause(clause));
    query.clauses.push_back({occur, std::move(read)});
  }
  return absl::OkStatus();
}

size_t CountOf(const Query& query, Occur occur) {
  const auto has_occur = [occur](const Clause& clause) { return clause.occur == occur; };
  return static_cast<size_t>(std::count_if(query.clauses.begin(), query.clauses.end(), has_occur));
}

}  // namespace

QueryOr ReadBool(DslScope& scope, const Json& options) {
  constexpr std::pair<const char*, Occur> kOccurs[] = {{"must", Occur::kMust},
                                                       {"filter", Occur::kFilter},
                                                       {"should", Occur::kShould},
                                                       {"must_not", Occur::kMustNot}};
  QueryPtr query = QueryOfKind(QueryKind::kBoolean);
  for (const auto& [key, occur] : kOccurs) {
    if (options.contains(key)) {
      PMDEX_RETURN_IF_ERROR(AddClauses(scope, options[key], occur, *query));
    }
  }
  if (query->clauses.empty()) return QueryOfKind(QueryKind::kAll);
  const bool excludes_alone = CountOf(*query, Occur::kMustNot) == query->clauses.size();
  if (excludes_alone) {
    query->clauses.push_back({Occur::kFilter, QueryOfKind(QueryKind::kAll)});
  }
  const size_t optional = CountOf(*query, Occur::kShould);
  if (!options.contains("minimum_should_match") || excludes_alone) return query;
  PMDEX_ASSIGN_OR_RETURN(const std::string minimum,
                         JsonText("minimum_should_match", options["minimum_should_match"]));
  PMDEX_ASSIGN_OR_RETURN(query->minimum_should_match, MinimumShouldMatch(minimum, optional));
  if (query->minimum_should_match > optional) {
    // The clauses stay, because names may point to them.
    query->minimum_should_match = 0;
    query->clauses.push_back({Occur::kMust, QueryOfKind(QueryKind::kNone)});
  }
  return query;
}

QueryOr ReadConstantScore(DslScope& scope, const Json& options) {
  if (!options.contains("filter")) {
    return ApiError(400, "parsing_exception", "[constant_score] requires a 'filter' element");
  }
  if (options["filter"].is_array()) {
    return ApiError(400, "parsing_exception", "unexpected token [START_ARRAY]");
  }
  PMDEX_ASSIGN_OR_RETURN(QueryPtr filter, scope.Clause(options["filter"]));
  return ConstantScoreOf(std::move(filter));
}

QueryOr ReadDisMax(DslScope& scope, const Json& options) {
  if (!options.contains("queries") || options["queries"].empty()) {
    return ApiError(400, "parsing_exception",
                    "[dis_max] requires 'queries' field with at least one clause");
  }
  double tie_breaker = 0;
  if (options.contains("tie_breaker")) {
    PMDEX_ASSIGN_OR_RETURN(tie_breaker, JsonNumber("tie_breaker", options["tie_breaker"]));
    if (!(tie_breaker >= 0 && tie_breaker <= 1)) {
      return BadArgument("[tie_breaker] must be between 0 and 1");
    }
  }
  const Json& value = options["queries"];
  const Json list = value.is_array() ? value : Json::array({value});
  std::vector<QueryPtr> queries;
  for (const Json& clause : list) {
    PMDEX_ASSIGN_OR_RETURN(QueryPtr query, scope.Clause(clause));
    queries.push_back(std::move(query));
  }
  return BestOf(std::move(queries), static_cast<float>(tie_breaker));
}

}  // namespace pmdex
