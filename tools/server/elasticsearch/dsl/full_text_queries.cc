#include "tools/server/elasticsearch/dsl/full_text_queries.h"

#include <utility>

#include "absl/strings/str_cat.h"

#include "tools/server/elasticsearch/api_error.h"
#include "tools/server/elasticsearch/api_table.h"
#include "tools/server/elasticsearch/dsl/column_queries.h"
#include "tools/server/elasticsearch/parameters.h"

namespace pmdex {
namespace {

QueryPtr PhraseOf(QueryKind kind, std::string_view field, const std::vector<DslToken>& tokens,
                  const MatchOptions& options) {
  QueryPtr phrase = QueryOfKind(kind);
  phrase->field = field;
  for (const DslToken& token : tokens) {
    phrase->terms.push_back(token.term);
    phrase->offsets.push_back(token.position - tokens[0].position);
  }
  phrase->slop = options.slop;
  phrase->max_expansions = options.max_expansions;
  return phrase;
}

QueryPtr WordLeaf(std::string_view field, const DslToken& token, const MatchOptions& options) {
  if (!options.fuzziness.has_value()) return FieldLeaf(QueryKind::kTerm, field, token.term);
  return FuzzyLeaf(field, token.term, options.fuzziness->EditsOf(token.term), options);
}

// A boolean of a leaf for each token. last_is_prefix: of match_bool_prefix.
QueryOr WordsOf(std::string_view field, const std::vector<DslToken>& tokens,
                const MatchOptions& options, bool last_is_prefix) {
  std::vector<QueryPtr> leaves;
  for (const DslToken& token : tokens) {
    const bool is_prefix = last_is_prefix && &token == &tokens.back();
    leaves.push_back(is_prefix ? FieldLeaf(QueryKind::kPrefix, field, token.term)
                               : WordLeaf(field, token, options));
  }
  const size_t count = leaves.size();
  QueryPtr words = AllOf(options.require_all ? Occur::kMust : Occur::kShould, std::move(leaves));
  if (count < 2 || options.require_all || options.minimum_should_match.empty()) return words;
  PMDEX_ASSIGN_OR_RETURN(words->minimum_should_match,
                         MinimumShouldMatch(options.minimum_should_match, count));
  if (words->minimum_should_match > count) return QueryOfKind(QueryKind::kNone);
  return words;
}

// The whole text is one value.
QueryOr MatchColumn(DslScope& scope, MatchKind kind, std::string_view field,
                    const MatchOptions& options) {
  const bool is_keyword = scope.ColumnTypeOf(field) == FieldType::kKeyword;
  const bool is_fuzzy = options.fuzziness.has_value();
  if (is_keyword && is_fuzzy && kind == MatchKind::kWords) {
    return FuzzyKeywordLeaf(field, options.text, options.fuzziness->EditsOf(options.text), options);
  }
  QueryOr query = kind == MatchKind::kPhrasePrefix ? NoQueryOfColumn(scope, "phrase prefix", field)
                  : is_fuzzy && !is_keyword        ? NoQueryOfColumn(scope, "fuzzy", field)
                  : kind == MatchKind::kBoolPrefix && is_keyword
                      ? ColumnPrefix(scope, field, options.text)
                      : ColumnTerm(scope, field, options.text);
  const bool may_be_left_out = options.lenient.value_or(false);
  return query.ok() || !may_be_left_out ? std::move(query) : QueryOfKind(QueryKind::kNone);
}

absl::StatusOr<MatchKind> KindOfType(std::string_view type) {
  if (type == "best_fields" || type == "most_fields") return MatchKind::kWords;
  if (type == "phrase") return MatchKind::kPhrase;
  if (type == "phrase_prefix") return MatchKind::kPhrasePrefix;
  return ApiError(400, "parse_exception",
                  absl::StrCat("failed to parse [multi_match] query type [", std::string(type),
                               "]. unknown type."));
}

}  // namespace

QueryPtr FuzzyLeaf(std::string_view field, std::string_view text, uint32_t edits,
                   const MatchOptions& options) {
  if (edits == 0) return FieldLeaf(QueryKind::kTerm, field, text);
  return FuzzyKeywordLeaf(field, text, edits, options);
}

QueryPtr FuzzyKeywordLeaf(std::string_view field, std::string_view text, uint32_t edits,
                          const MatchOptions& options) {
  QueryPtr leaf = FieldLeaf(QueryKind::kFuzzy, field, text);
  leaf->edits = edits;
  leaf->prefix_length = options.prefix_length;
  leaf->max_expansions = options.max_expansions;
  return leaf;
}

QueryOr MatchIn(DslScope& scope, MatchKind kind, std::string_view query, std::string_view field,
                const MatchOptions& options) {
  if (field == "_id") {
    if (kind == MatchKind::kPhrasePrefix) return NotOfIds(scope, "phrase prefix");
    return IdsQuery({options.text});
  }
  if (field == "_index") return scope.OfIndexes({options.text});
  if (scope.ColumnTypeOf(field).has_value()) {
    PMDEX_RETURN_IF_ERROR(scope.Count(1));
    return MatchColumn(scope, kind, field, options);
  }
  PMDEX_ASSIGN_OR_RETURN(const AnalyzerKind analyzer, scope.KindOf(options.analyzer, query));
  const std::vector<DslToken> tokens = scope.Analyze(options.text, analyzer);
  PMDEX_RETURN_IF_ERROR(scope.Count(tokens.size()));
  if (tokens.empty()) {
    return QueryOfKind(options.zero_terms_all ? QueryKind::kAll : QueryKind::kNone);
  }
  if (kind == MatchKind::kPhrasePrefix) {
    return PhraseOf(QueryKind::kPhrasePrefix, field, tokens, options);
  }
  if (kind == MatchKind::kPhrase && tokens.size() > 1) {
    return PhraseOf(QueryKind::kPhrase, field, tokens, options);
  }
  return WordsOf(field, tokens, options, kind == MatchKind::kBoolPrefix);
}

QueryOr ReadMultiMatch(DslScope& scope, const Json& options) {
  PMDEX_ASSIGN_OR_RETURN(MatchOptions match, ReadMatchOptions("multi_match", options));
  std::string type = "best_fields";
  if (options.contains("type")) {
    PMDEX_ASSIGN_OR_RETURN(type, JsonText("type", options["type"]));
  }
  PMDEX_ASSIGN_OR_RETURN(const MatchKind kind, KindOfType(type));
  if (match.fuzziness.has_value() && kind != MatchKind::kWords) {
    return ApiError(400, "parsing_exception",
                    absl::StrCat("Fuzziness not allowed for type [", type, "]"));
  }
  std::vector<std::string> names = {"*"};
  if (options.contains("fields")) {
    PMDEX_ASSIGN_OR_RETURN(names, FieldsOrAll(options["fields"]));
  }
  PMDEX_ASSIGN_OR_RETURN(const std::vector<WeightedField> fields,
                         ExpandFields(scope.index(), names));
  if (!match.lenient.has_value()) match.lenient = NamesAllFields(names);
  std::vector<QueryPtr> queries;
  for (const WeightedField& field : fields) {
    PMDEX_ASSIGN_OR_RETURN(QueryPtr query, MatchIn(scope, kind, "multi_match", field.name, match));
    query->boost *= field.boost;
    queries.push_back(std::move(query));
  }
  const float otherwise = type == "most_fields" ? 1.0f : 0.0f;
  return BestOf(std::move(queries), match.tie_breaker.value_or(otherwise));
}

}  // namespace pmdex
