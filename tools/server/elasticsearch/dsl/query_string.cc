#include "tools/server/elasticsearch/dsl/query_string.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

#include "pmem/text.h"
#include "query/language/query_parser.h"
#include "tools/server/elasticsearch/api_error.h"
#include "tools/server/elasticsearch/dsl/column_queries.h"
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
    if (!options["fields"].is_array()) {
      return ApiError(400, "parsing_exception",
                      "[query_string] query does not support [fields] that are no list");
    }
    return FieldsOrAll(options["fields"]);
  }
  if (!has_field) return std::vector<std::string>{"*"};
  PMDEX_ASSIGN_OR_RETURN(std::string field, JsonText("default_field", options["default_field"]));
  return std::vector<std::string>{std::move(field)};
}

// The options of the range that a text such as `>=5` stands for; null: it is no comparison. Escapes
// do not matter, as in Elasticsearch.
Json ComparisonOf(const std::string& text) {
  if (text.size() < 2 || (text[0] != '<' && text[0] != '>')) return Json();
  const bool inclusive = text.size() > 2 && text[1] == '=';
  const std::string name = std::string(text[0] == '<' ? "lt" : "gt") + (inclusive ? "e" : "");
  return {{name, text.substr(inclusive ? 2 : 1)}};
}

// Reads what the query says of fields as Elasticsearch does: a name may be a pattern, words with
// nothing but spaces between them are one text, and the best field counts.
class QueryStringFields final : public QueryFieldReader {
 public:
  // compares_by_default: a word without a name may be a comparison.
  QueryStringFields(DslScope& scope, std::vector<WeightedField> by_default,
                    bool compares_by_default, const MatchOptions& options)
      : scope_(scope),
        by_default_(std::move(by_default)),
        compares_by_default_(compares_by_default),
        options_(options) {}

  // In a single field of text, words can be read one by one: their scores are added anyway.
  bool Reads(std::string_view name, TextKind kind) override {
    if (kind == TextKind::kStar || name == "_exists_") return true;
    if (name == "_id" || name == "_index") return true;
    const std::vector<WeightedField>& fields = FieldsOf(name);
    return fields.size() != 1 || scope_.ColumnTypeOf(fields[0].name).has_value();
  }

  QueryOr Read(std::string_view name, const Text& text) override {
    const Json comparison = ComparisonIn(name, text);
    QueryOr query = name == "_exists_"             ? ExistsIn(scope_, text.text)
                    : text.kind == TextKind::kStar ? Star(name)
                    : comparison.is_object()       ? Range(FieldsOf(name), comparison)
                                                   : InFields(FieldsOf(name), text);
    error_.Update(query.status());
    return query;
  }

  const std::vector<WeightedField>& FieldsOf(std::string_view name) override {
    if (name.empty()) return by_default_;
    auto [known, is_new] = named_.try_emplace(std::string(name));
    // A caret is part of a name in the text of a query, so that only a pattern has to be expanded.
    if (is_new && name.find('*') == name.npos) {
      known->second = {{std::string(name)}};
    } else if (is_new) {
      known->second = FieldsLike(scope_.index(), name);
    }
    return known->second;
  }

  bool IsLenient() const override { return *options_.lenient; }

  // Of a text that the query could be parsed with, but that its fields refuse.
  const absl::Status& error() const { return error_; }

 private:
  // `*` without a name means all documents, unless there is only one field to search.
  QueryOr Star(std::string_view name) {
    if (!name.empty()) return ExistsIn(scope_, name);
    if (by_default_.size() != 1) return QueryOfKind(QueryKind::kAll);
    PMDEX_ASSIGN_OR_RETURN(QueryPtr query, ExistsIn(scope_, by_default_[0].name));
    query->boost *= by_default_[0].boost;
    return query;
  }

  // The options of the range; null: the text is no comparison in the field.
  Json ComparisonIn(std::string_view name, const Text& text) const {
    const bool compares = name.empty() ? compares_by_default_ : name != "_id" && name != "_index";
    return compares && text.kind == TextKind::kWords ? ComparisonOf(text.text) : Json();
  }

  QueryOr Range(const std::vector<WeightedField>& fields, const Json& options) {
    std::vector<QueryPtr> queries;
    for (const WeightedField& field : fields) {
      QueryOr query = ReadRange(scope_, field.name, options);
      // Ranges of text are refused, also where values that do not fit are not.
      if (!query.ok() && IsLenient() && scope_.ColumnTypeOf(field.name).has_value()) continue;
      PMDEX_RETURN_IF_ERROR(query.status());
      if ((*query)->kind == QueryKind::kNone) continue;
      (*query)->boost *= field.boost;
      queries.push_back(*std::move(query));
    }
    return BestOf(std::move(queries), 0);
  }

  QueryOr InFields(const std::vector<WeightedField>& fields, const Text& text) {
    const bool is_phrase = text.kind == TextKind::kPhrase;
    MatchOptions match = options_;
    match.text = text.text;
    if (text.slop != 0) match.slop = text.slop;
    match.minimum_should_match.clear();
    match.fuzziness.reset();
    bool is_empty = !fields.empty();  // the analyzer has removed all of the text
    std::vector<QueryPtr> queries;
    for (const WeightedField& field : fields) {
      PMDEX_ASSIGN_OR_RETURN(QueryPtr query,
                             MatchIn(scope_, is_phrase ? MatchKind::kPhrase : MatchKind::kWords,
                                     "query_string", field.name, match));
      is_empty = is_empty && !scope_.ColumnTypeOf(field.name).has_value();
      if (query->kind == QueryKind::kNone) continue;
      query->boost *= field.boost;
      queries.push_back(std::move(query));
    }
    return queries.empty() && is_empty ? QueryPtr() : BestOf(std::move(queries), 0);
  }

  DslScope& scope_;
  const std::vector<WeightedField> by_default_;
  const bool compares_by_default_;
  const MatchOptions& options_;
  std::map<std::string, std::vector<WeightedField>> named_;
  absl::Status error_;
};

// Applies to what QueryParser made those options that it does not know.
void FinishQueryString(const MatchOptions& options, Query& query) {
  for (Clause& clause : query.clauses) FinishQueryString(options, *clause.query);
  if (query.kind == QueryKind::kPhrase && query.slop == 0) query.slop = options.slop;
  if (query.kind == QueryKind::kFuzzy) {
    query.prefix_length = options.prefix_length;
    query.max_expansions = options.max_expansions;
  }
  const bool only_excludes =
      query.kind == QueryKind::kBoolean &&
      std::all_of(query.clauses.begin(), query.clauses.end(),
                  [](const Clause& clause) { return clause.occur == Occur::kMustNot; });
  // As in Elasticsearch, what only a NOT matches scores 0.
  if (only_excludes) query.clauses.push_back({Occur::kFilter, QueryOfKind(QueryKind::kAll)});
}

absl::Status ApplyMinimum(std::string_view specification, QueryPtr& query) {
  if (specification.empty() || query->kind != QueryKind::kBoolean) return absl::OkStatus();
  const auto optional = static_cast<size_t>(
      std::count_if(query->clauses.begin(), query->clauses.end(),
                    [](const Clause& clause) { return clause.occur == Occur::kShould; }));
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
  PMDEX_ASSIGN_OR_RETURN(std::vector<WeightedField> by_default, ExpandFields(scope.index(), names));
  if (!match.lenient.has_value()) match.lenient = NamesAllFields(names);
  // As in Elasticsearch, comparisons have no place in a list of fields.
  QueryStringFields fields(scope, std::move(by_default), !options.contains("fields"), match);
  PMDEX_ASSIGN_OR_RETURN(const AnalyzerKind kind, scope.KindOf(match.analyzer, "query_string"));
  const AnalyzerPool::Borrowed analyzer = scope.Borrow(kind);
  QueryParser parser(*analyzer);
  parser.SetColumns(scope.index().columns);
  parser.SetFieldReader(fields);
  parser.FoldRegexps();
  if (options.contains("default_operator")) {
    PMDEX_ASSIGN_OR_RETURN(const std::string name,
                           JsonText("default_operator", options["default_operator"]));
    PMDEX_ASSIGN_OR_RETURN(match.require_all, RequiresAll(name));
    if (match.require_all) parser.RequireAllByDefault();
  }
  if (match.fuzziness.has_value() || !options.contains("fuzziness")) {
    const Fuzziness fuzziness = match.fuzziness.value_or(Fuzziness{.automatic = true});
    parser.SetEditsOfTilde([fuzziness](std::string_view word, std::string_view tilde) {
      const bool is_auto = absl::EqualsIgnoreCase(ToAbsl(tilde), "AUTO");
      const Fuzziness asked = is_auto ? Fuzziness{.automatic = true} : fuzziness;
      return is_auto || tilde.empty() ? std::optional(asked.EditsOf(word)) : std::nullopt;
    });
  }
  absl::StatusOr<QueryPtr> parsed = parser.Parse(match.text);
  PMDEX_RETURN_IF_ERROR(fields.error());
  if (!parsed.ok()) {
    return ShardError("query_shard_exception",
                      absl::StrCat("Failed to parse query [", match.text,
                                   "]: ", ToAbsl(Message(parsed.status()))),
                      scope.index().name);
  }
  QueryPtr query = *std::move(parsed);
  FinishQueryString(match, *query);
  PMDEX_RETURN_IF_ERROR(ApplyMinimum(match.minimum_should_match, query));
  return query;
}

}  // namespace pmdex
