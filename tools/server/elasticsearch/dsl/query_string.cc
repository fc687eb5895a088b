#include "tools/server/elasticsearch/dsl/query_string.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

#include "pmem/text.h"
#include "query/language/query_parser.h"
#include "tools/server/elasticsearch/api_error.h"
#include "tools/server/elasticsearch/dsl/full_text_queries.h"
#include "tools/server/elasticsearch/dsl/match_options.h"
#include "tools/server/elasticsearch/dsl/term_queries.h"
#include "tools/server/elasticsearch/parameters.h"

namespace pmdex {
namespace {

absl::StatusOr<std::vector<std::string>> DefaultFields(const Json& options) {
  const bool has_field = options.contains("default_field");
  if (options.contains("fields")) {
    if (has_field) {
      return ApiError(400, "parsing_exception",
                      "cannot use [fields] parameter in conjunction with [default_field]");
    }
    return FieldsOrAll(options["fields"]);
  }
  if (!has_field) return std::vector<std::string>{"*"};
  PMDEX_ASSIGN_OR_RETURN(std::string field, JsonText("default_field", options["default_field"]));
  return std::vector<std::string>{std::move(field)};
}

// Turns what QueryParser made into what Elasticsearch means.
class QueryStringRewriter {
 public:
  QueryStringRewriter(DslScope& scope, const std::vector<WeightedField>& fields,
                      const MatchOptions& options)
      : scope_(scope), fields_(fields), options_(options) {}

  QueryOr Rewrite(QueryPtr query) {
    for (Clause& clause : query->clauses) {
      PMDEX_ASSIGN_OR_RETURN(clause.query, Rewrite(std::move(clause.query)));
    }
    if (query->kind == QueryKind::kPhrase && query->slop == 0) query->slop = options_.slop;
    if (query->kind == QueryKind::kFuzzy) {
      query->prefix_length = options_.prefix_length;
      query->max_expansions = options_.max_expansions;
    }
    if (query->every_field) return InDefaultFields(*query);
    const float boost = query->boost;
    if (query->field == "_id" && query->kind == QueryKind::kTerm) {
      query = ConstantScoreOf(IdsQuery({query->text}));
      query->boost = boost;
    } else if (query->field == "_index" && query->kind == QueryKind::kTerm) {
      query = scope_.OfIndexes({query->text});
      query->boost = boost;
    } else if (query->field == "_exists_" && query->kind == QueryKind::kTerm) {
      PMDEX_ASSIGN_OR_RETURN(query, ExistsIn(scope_, query->text));
      query->boost = boost;
    }
    return query;
  }

 private:
  QueryOr InDefaultFields(const Query& leaf) {
    PMDEX_RETURN_IF_ERROR(scope_.Count(fields_.size()));
    std::vector<QueryPtr> queries;
    for (const WeightedField& field : fields_) {
      auto copy = std::make_unique<Query>(LeafOf(leaf));
      copy->every_field = false;
      copy->field = field.name;
      copy->boost = field.boost;
      queries.push_back(std::move(copy));
    }
    QueryPtr best = BestOf(std::move(queries), 0);
    best->boost *= leaf.boost;
    return best;
  }

  DslScope& scope_;
  const std::vector<WeightedField>& fields_;
  const MatchOptions& options_;
};

// The words in each default field; the best field counts. An error goes to `status`, because the
// parser that calls this has no place for it.
QueryPtr WordsInFields(DslScope& scope, const std::vector<WeightedField>& fields,
                       const MatchOptions& options, AnalyzerKind analyzer, std::string_view words,
                       absl::Status& status) {
  MatchOptions match = options;
  match.text = words;
  match.analyzer = ToString(analyzer);
  match.minimum_should_match.clear();
  match.fuzziness.reset();
  std::vector<QueryPtr> queries;
  for (const WeightedField& field : fields) {
    QueryOr query = MatchIn(scope, MatchKind::kWords, "query_string", field.name, match);
    status.Update(query.status());
    if (!query.ok() || (*query)->kind == QueryKind::kNone) continue;
    (*query)->boost *= field.boost;
    queries.push_back(*std::move(query));
  }
  return queries.empty() ? nullptr : BestOf(std::move(queries), 0);
}

absl::Status ApplyMinimum(std::string_view specification, QueryPtr& query) {
  if (specification.empty() || query->kind != QueryKind::kBoolean) return absl::OkStatus();
  const auto optional = static_cast<size_t>(
      std::count_if(query->clauses.begin(), query->clauses.end(),
                    [](const Clause& clause) { return clause.occur == Occur::kShould; }));
  if (optional == 0) return absl::OkStatus();
  PMDEX_ASSIGN_OR_RETURN(query->minimum_should_match, MinimumShouldMatch(specification, optional));
  if (query->minimum_should_match > optional) query = QueryOfKind(QueryKind::kNone);
  return absl::OkStatus();
}

}  // namespace

QueryOr ReadQueryString(DslScope& scope, const Json& options) {
  if (!options.contains("query")) {
    return ApiError(400, "parsing_exception", "[query_string] must be provided with a [query]");
  }
  PMDEX_ASSIGN_OR_RETURN(MatchOptions match, ReadMatchOptions("query_string", options));
  const bool is_blank = match.text.find_first_not_of(" \t\r\n") == std::string::npos;
  if (is_blank) return QueryOfKind(QueryKind::kNone);
  PMDEX_ASSIGN_OR_RETURN(const std::vector<std::string> names, DefaultFields(options));
  PMDEX_ASSIGN_OR_RETURN(const std::vector<WeightedField> fields,
                         ExpandFields(scope.index(), names));
  PMDEX_ASSIGN_OR_RETURN(const AnalyzerKind kind, scope.KindOf(match.analyzer, "query_string"));
  const AnalyzerPool::Borrowed analyzer = scope.Borrow(kind);
  QueryParser parser(*analyzer);
  parser.SetColumns(scope.index().columns);
  if (options.contains("default_operator")) {
    PMDEX_ASSIGN_OR_RETURN(const std::string name,
                           JsonText("default_operator", options["default_operator"]));
    PMDEX_ASSIGN_OR_RETURN(match.require_all, RequiresAll(name));
    if (match.require_all) parser.RequireAllByDefault();
  }
  absl::Status status;
  // A single field needs no grouping of words: their scores are added anyway.
  if (fields.size() != 1) {
    parser.SetWordsReader([&](std::string_view words) {
      return WordsInFields(scope, fields, match, kind, words, status);
    });
  }
  if (match.fuzziness.has_value() || !options.contains("fuzziness")) {
    const Fuzziness fuzziness = match.fuzziness.value_or(Fuzziness{.automatic = true});
    parser.SetEditsOfBareTilde(
        [fuzziness](std::string_view word) { return fuzziness.EditsOf(word); });
  }
  absl::StatusOr<QueryPtr> parsed = parser.Parse(match.text);
  PMDEX_RETURN_IF_ERROR(status);
  if (!parsed.ok()) {
    return ShardError("query_shard_exception",
                      absl::StrCat("Failed to parse query [", match.text,
                                   "]: ", ToAbsl(Message(parsed.status()))),
                      scope.index().name);
  }
  QueryStringRewriter rewriter(scope, fields, match);
  PMDEX_ASSIGN_OR_RETURN(QueryPtr query, rewriter.Rewrite(*std::move(parsed)));
  PMDEX_RETURN_IF_ERROR(ApplyMinimum(match.minimum_should_match, query));
  return query;
}

}  // namespace pmdex
